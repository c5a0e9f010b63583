import type { Pool } from 'pg';
import { transaction } from '../../db/transaction.ts';
import type { SourceRegistry } from '../../projections/projection.ts';
import { applyChanges } from './apply/apply-changes.ts';
import { type DeadLetter, keepDeadLetters } from './apply/dead-letter.ts';
import type { Change } from './apply/fold.ts';
import { ConcurrentWrite } from './apply/mirror.ts';
import { movePosition, type Place } from './apply/position.ts';
import { noteHeartbeats } from './apply/source-state.ts';
import type { Decoded, IncomingRecord, Truncate } from './decode/envelope.ts';

/** A record with what it was decoded to. */
export interface DecodedRecord {
  readonly record: IncomingRecord;
  readonly decoded: Decoded;
}

export interface Ingested {
  readonly applied: number;
  readonly deadLetters: number;
}

/** Tries before a clash with another writer counts as a fault of the system. */
const ATTEMPTS = 12;
const DEADLOCK = '40P01';

/**
 * Applies one batch of one partition in one transaction: mirror rows, marks, dead letters and the position.
 *
 * @param from the stored position the batch starts at, `to` the offset after its last record
 * @throws PositionLost when another consumer has taken the partition over
 */
export async function ingestBatch(
  pool: Pool,
  registry: SourceRegistry,
  place: Place,
  records: readonly DecodedRecord[],
  from: number | null,
  to: number,
): Promise<Ingested> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ingestOnce(pool, registry, place, records, from, to);
    } catch (error) {
      if (attempt === ATTEMPTS || !isClash(error)) throw error;
    }
  }
}

const isClash = (error: unknown): boolean =>
  error instanceof ConcurrentWrite || (error as { code?: string }).code === DEADLOCK;

async function ingestOnce(
  pool: Pool,
  registry: SourceRegistry,
  place: Place,
  records: readonly DecodedRecord[],
  from: number | null,
  to: number,
): Promise<Ingested> {
  const { changes, truncates, heartbeats } = sortOut(records);
  const letters = deadLettersOf(records, place);
  return transaction(pool, async (client) => {
    await movePosition(client, place, from, to);
    let applied = 0;
    if (changes.length + truncates.length > 0) {
      const outcome = await applyChanges(client, changes, truncates, registry);
      applied = outcome.applied;
      for (const { change, missing } of outcome.refused) {
        const record = records.find(({ decoded }) => decoded === change)?.record;
        if (record === undefined) continue;
        const violations = missing.map((field) => ({
          field,
          reason: 'unavailable',
        }));
        letters.push(deadLetter(record, place, change.source, change.key, violations));
      }
    }
    await keepDeadLetters(client, letters, registry);
    if (heartbeats.length > 0) await noteHeartbeats(client, heartbeatTimes(heartbeats, registry));
    return { applied, deadLetters: letters.length };
  });
}

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

/** The records that broke their contract, as dead letters. */
export function deadLettersOf(records: readonly DecodedRecord[], place: Place): DeadLetter[] {
  return records.flatMap(({ record, decoded }) =>
    decoded.kind === 'refused'
      ? [deadLetter(record, place, decoded.source, decoded.key, decoded.violations)]
      : [],
  );
}

function deadLetter(
  record: IncomingRecord,
  place: Place,
  source: DeadLetter['source'],
  key: string | null,
  violations: DeadLetter['violations'],
): DeadLetter {
  return {
    source,
    topic: place.topic,
    partition: place.partition,
    offset: record.offset,
    key: key ?? record.key?.toString() ?? null,
    payload: record.value?.toString() ?? null,
    headers: record.headers,
    violations,
  };
}

/** A connector's heartbeat says that all the tables it watches are alive. */
function heartbeatTimes(heartbeats: Sorted['heartbeats'], registry: SourceRegistry): Map<number, number> {
  return new Map(
    heartbeats.flatMap(({ sources, timeMs }) =>
      sources.map((source) => [registry.idOf(source), timeMs] as const),
    ),
  );
}
