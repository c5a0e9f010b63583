import type { ClientBase, Pool } from 'pg';
import { int8Array } from '../../../db/arrays.ts';
import type { DeadLetterClass, DeadLetterState } from './dead-letter.ts';

/** Filters of dead letters; a missing filter matches all. */
export interface DeadLetterSelector {
  /** The table in the name of the topic or file, whether it is a source or not. */
  readonly table?: string;
  readonly class?: DeadLetterClass;
  /** The key as in the mirror. */
  readonly key?: string;
  /** Recorded at this instant or later. */
  readonly since?: Date;
  readonly ids?: readonly number[];
}

/** Condition on `ingest.dead_letter`; its parameters are the first five. */
export const SELECTED = `
  ($1::text is null or table_name = $1) and ($2::text is null or class = $2) and ($3::text is null or key = $3)
  and ($4::timestamptz is null or recorded_at >= $4) and ($5::int8[] is null or id = any($5))`;

export const selectorValues = ({ table, class: ofClass, key, since, ids }: DeadLetterSelector): unknown[] => [
  table ?? null,
  ofClass ?? null,
  key ?? null,
  since ?? null,
  ids === undefined ? null : int8Array(ids),
];

/** An open dead letter to replay. */
export interface PlannedReplay {
  readonly id: number;
  readonly table: string | null;
  /** Equal for dead letters of one key; null if the key could not be read. */
  readonly group: string | null;
}

/**
 * The selected open dead letters in the order of their replay: key by key, from a key's oldest version on, and at the end
 * those whose key could not be read.
 */
export async function planReplay(
  db: Pool | ClientBase,
  selector: DeadLetterSelector,
): Promise<PlannedReplay[]> {
  const { rows } = await db.query<{ id: string; table: string | null; group: string | null }>(
    `select id, table_name as table, source || ' ' || key as group from ingest.dead_letter
     where state = 'open' and ${SELECTED}
     order by key is null, source, key, version, topic, partition, record_offset, id`,
    selectorValues(selector),
  );
  return rows.map((row) => ({ ...row, id: Number(row.id) }));
}

/** Ids in batches of at most `size`. A batch holds all dead letters of a key if they fit into one. */
export function* replayBatches(planned: readonly PlannedReplay[], size: number): Generator<number[]> {
  for (let start = 0; start < planned.length; ) {
    const end = endOfBatch(planned, start, size);
    yield planned.slice(start, end).map(({ id }) => id);
    start = end;
  }
}

function endOfBatch(planned: readonly PlannedReplay[], start: number, size: number): number {
  const limit = Math.min(start + size, planned.length);
  const following = planned[limit]?.group ?? null;
  if (following === null) return limit;
  let end = limit;
  while (end > start && planned[end - 1]?.group === following) end--;
  return end > start ? end : limit;
}

/** The number of settled dead letters of a table in a state. */
interface SettledCount {
  readonly state: Exclude<DeadLetterState, 'open'>;
  readonly table: string | null;
  readonly deadLetters: number;
}

export async function countSettled(
  db: Pool | ClientBase,
  selector: DeadLetterSelector,
): Promise<SettledCount[]> {
  const { rows } = await db.query<SettledCount>(
    `select state, table_name as table, count(*)::int4 as "deadLetters" from ingest.dead_letter
     where state <> 'open' and ${SELECTED}
     group by state, table_name order by state, table_name`,
    selectorValues(selector),
  );
  return rows;
}
