import type { Pool } from 'pg';
import { transaction } from '../../db/transaction.ts';
import type { SourceRegistry } from '../../projections/projection.ts';
import type { Registry } from '../../projections/registry.ts';
import { type AppliedChanges, applyChanges } from './apply/apply-changes.ts';
import type { Change } from './apply/fold.ts';
import { movePosition, type Place } from './apply/position.ts';
import { retryClashes } from './apply/retry-clashes.ts';
import { noteHeartbeats } from './apply/source-state.ts';
import { measureLags } from './apply/stage-lags.ts';
import { EpochRaised } from './apply/standing.ts';
import { incompleteLetters, refusedLetters } from './dead-letters/letters-of.ts';
import { parkLetters } from './dead-letters/park-letters.ts';
import type { Decoded, DecodedRecord, Truncate } from './decode/envelope.ts';
import { restamp } from './decode/restamp.ts';

export type { DecodedRecord } from './decode/envelope.ts';

export interface Ingested {
  /** Rows whose stored state became newer. */
  readonly applied: number;
  /** Of these, how many have another content now. */
  readonly changed: number;
  readonly deadLetters: number;
}

/**
 * Applies one batch of one partition in one transaction: mirror rows, marks, dead letters and the position.
 *
 * @param from the stored position the batch starts at, `to` the offset after its last record
 * @param readAtMs when it was read from the log, in milliseconds since 1970; null where it was not
 * @throws PositionLost when another consumer has taken the partition over
 */
export async function ingestBatch(
  pool: Pool,
  registry: Registry,
  place: Place,
  records: readonly DecodedRecord[],
  from: number | null,
  to: number,
  readAtMs: number | null = null,
): Promise<Ingested> {
  let current = records;
  return retryClashes(
    () => ingestOnce(pool, registry, place, current, from, to, readAtMs),
    async (error) => {
      if (error instanceof EpochRaised) current = await withEpochsOfNow(pool, registry, records);
    },
  );
}

/** The records as they are decoded with the epochs of now. */
async function withEpochsOfNow(
  pool: Pool,
  registry: Registry,
  records: readonly DecodedRecord[],
): Promise<DecodedRecord[]> {
  await registry.readEpochs(pool);
  return records.map(({ record, decoded }) => ({ record, decoded: restamp(decoded, registry.epochOf) }));
}

async function ingestOnce(
  pool: Pool,
  registry: SourceRegistry,
  place: Place,
  records: readonly DecodedRecord[],
  from: number | null,
  to: number,
  readAtMs: number | null,
): Promise<Ingested> {
  const { changes, truncates, heartbeats } = sortOut(records);
  const lags = readAtMs === null ? null : measureLags(records, readAtMs, registry);
  return transaction(pool, async (client) => {
    await movePosition(client, place, from, to);
    const letters = refusedLetters(records, place);
    let outcome: AppliedChanges = NOTHING;
    if (changes.length + truncates.length > 0) {
      outcome = await applyChanges(client, changes, truncates, registry, lags);
      letters.push(...incompleteLetters(records, outcome.refused, place));
    }
    await parkLetters(client, letters, records, place, outcome, registry);
    if (heartbeats.length > 0) await noteHeartbeats(client, heartbeatTimes(heartbeats, registry));
    return { applied: outcome.settled.length, changed: outcome.changed, deadLetters: letters.length };
  });
}

const NOTHING: AppliedChanges = { settled: [], truncated: [], floorOf: () => null, changed: 0, refused: [] };

interface Sorted {
  readonly changes: Change[];
  readonly truncates: Truncate[];
  readonly heartbeats: Extract<Decoded, { kind: 'heartbeat' }>[];
}

function sortOut(records: readonly DecodedRecord[]): Sorted {
  const sorted: Sorted = { changes: [], truncates: [], heartbeats: [] };
  for (const { decoded } of records) {
    switch (decoded.kind) {
      case 'upsert':
      case 'delete':
      case 'tombstone':
        sorted.changes.push(decoded);
        break;
      case 'truncate':
        sorted.truncates.push(decoded);
        break;
      case 'heartbeat':
        sorted.heartbeats.push(decoded);
        break;
    }
  }
  return sorted;
}

/** A connector's heartbeat says that all the tables it watches are alive. */
function heartbeatTimes(heartbeats: Sorted['heartbeats'], registry: SourceRegistry): Map<number, number> {
  return new Map(
    heartbeats.flatMap(({ sources, timeMs }) =>
      sources.map((source) => [registry.idOf(source), timeMs] as const),
    ),
  );
}
