import type { ClientBase, Pool } from 'pg';
import { int2Array } from '../../../db/arrays.ts';
import { type AuditEntry, recordAudit } from '../../../db/audit.ts';
import { LOCKS } from '../../../db/locks.ts';
import { transaction } from '../../../db/transaction.ts';
import type { Source } from '../../../projections/contracts/contract.ts';
import type { SourceRegistry } from '../../../projections/engine/projection.ts';
import type { Decoded } from '../decode/envelope.ts';
import { isOfEpoch, withEpoch } from '../decode/version.ts';

/** Does not change within a transaction that has locked the versions. */
export interface SourceState {
  readonly epoch: number;
  /** The version of the newest truncate: changes up to it have no effect. Null without a truncate. */
  readonly floor: string | null;
}

/** The changes carry versions of a past epoch and need those of the current one. */
export class EpochRaised extends Error {
  override readonly name = 'EpochRaised';
}

export async function readSourceStates(
  client: ClientBase,
  sources: Iterable<Source>,
  registry: SourceRegistry,
): Promise<ReadonlyMap<Source, SourceState>> {
  const byId = new Map([...sources].map((source) => [registry.idOf(source), source]));
  const { rows } = await client.query<{ id: number; epoch: number; floor: string | null }>({
    name: 'source-states',
    text: `select id, epoch, truncated_version as floor from ingest.source where id = any($1::int2[])`,
    values: [int2Array([...byId.keys()])],
  });
  const states = new Map<Source, SourceState>();
  for (const { id, epoch, floor } of rows) {
    const source = byId.get(id);
    if (source !== undefined) states.set(source, { epoch, floor });
  }
  return states;
}

/** @throws EpochRaised if a version is not of its source's current epoch */
export function requireEpochs(
  changes: Iterable<{ readonly source: Source; readonly version: string }>,
  states: ReadonlyMap<Source, SourceState>,
): void {
  for (const { source, version } of changes) {
    const state = states.get(source);
    if (state !== undefined && !isOfEpoch(version, state.epoch))
      throw new EpochRaised(`${source.table} is in epoch ${state.epoch}`);
  }
}

/** The same decoded record in the current epoch, which only its version depends on. */
export function restamp(decoded: Decoded, epochOf: (source: Source) => number): Decoded {
  switch (decoded.kind) {
    case 'upsert':
    case 'delete':
    case 'tombstone':
    case 'truncate':
      return { ...decoded, version: withEpoch(decoded.version, epochOf(decoded.source)) };
    default:
      return decoded;
  }
}

/**
 * Raises a source's epoch. From then on its changes are newer than all earlier ones, whatever their log positions. This
 * waits for running batches; all processes use the new epoch for later ones.
 *
 * @returns the new epoch
 */
export function raiseEpoch(
  pool: Pool,
  registry: SourceRegistry,
  source: Source,
  { actor, reason }: Pick<AuditEntry, 'actor' | 'reason'>,
): Promise<number> {
  return transaction(pool, async (client) => {
    await client.query('select pg_advisory_xact_lock($1)', [LOCKS.versions]);
    const { rows } = await client.query<{ epoch: number }>(
      'update ingest.source set epoch = epoch + 1 where id = $1 returning epoch',
      [registry.idOf(source)],
    );
    // What was older before is no reason to warn now.
    await client.query(
      'update ingest.record_count set recent_since = null, recent_read = null, recent_older = null where source = $1',
      [registry.idOf(source)],
    );
    const epoch = rows[0]?.epoch ?? 0;
    await recordAudit(client, {
      actor,
      action: 'sources epoch --raise',
      target: source.table,
      reason: reason ?? null,
      detail: { epoch },
    });
    return epoch;
  });
}
