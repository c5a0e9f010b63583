import type { Pool } from 'pg';
import { type AuditEntry, recordAudit } from '../../../db/audit.ts';
import { LOCKS } from '../../../db/locks.ts';
import { transaction } from '../../../db/transaction.ts';
import type { SourceRegistry } from '../../../projections/projection.ts';
import type { Source } from '../../../projections/sources/contract.ts';

/**
 * Raises a source's epoch, from which on its changes are newer than all before, whatever their log positions. It waits
 * for the batches under way; every later one, of any process, goes by the new epoch.
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
