import type { ClientBase, Pool } from 'pg';
import { int8Array } from '../../../db/arrays.ts';
import type { LetterClass, LetterState } from './letter-class.ts';

/** Which letters are meant; what is left out does not narrow the choice. */
export interface LetterSelector {
  /** The table that the letter's topic or file names, be it a source or not. */
  readonly table?: string;
  readonly class?: LetterClass;
  /** The key as the mirror has it. */
  readonly key?: string;
  /** Recorded at this instant or later. */
  readonly since?: Date;
  readonly ids?: readonly number[];
}

/** Condition on `ingest.dead_letter`, and the values of its first five parameters. */
export const SELECTED = `
  ($1::text is null or table_name = $1) and ($2::text is null or class = $2) and ($3::text is null or key = $3)
  and ($4::timestamptz is null or recorded_at >= $4) and ($5::int8[] is null or id = any($5))`;

export const selectorValues = ({ table, class: ofClass, key, since, ids }: LetterSelector): unknown[] => [
  table ?? null,
  ofClass ?? null,
  key ?? null,
  since ?? null,
  ids === undefined ? null : int8Array(ids),
];

/** An open letter, and what tells whether two are of one key; null where its key could not be read. */
export interface Planned {
  readonly id: number;
  readonly group: string | null;
}

/**
 * The open letters that are meant, in the order in which they are to be applied: key by key, each key's versions from
 * the oldest on, and last those whose key could not be read.
 */
export async function planLetters(db: Pool | ClientBase, selector: LetterSelector): Promise<Planned[]> {
  const { rows } = await db.query<{ id: string; group: string | null }>(
    `select id, source || ' ' || key as group from ingest.dead_letter
     where state = 'open' and ${SELECTED}
     order by key is null, source, key, version, topic, partition, record_offset, id`,
    selectorValues(selector),
  );
  return rows.map(({ id, group }) => ({ id: Number(id), group }));
}

/** Ids in portions of at most `size`; the letters of one key stay together where they fit. */
export function* portionsOf(planned: readonly Planned[], size: number): Generator<number[]> {
  for (let start = 0; start < planned.length; ) {
    const end = endOfPortion(planned, start, size);
    yield planned.slice(start, end).map(({ id }) => id);
    start = end;
  }
}

function endOfPortion(planned: readonly Planned[], start: number, size: number): number {
  const most = Math.min(start + size, planned.length);
  const following = planned[most]?.group ?? null;
  if (following === null) return most;
  let end = most;
  while (end > start && planned[end - 1]?.group === following) end--;
  return end > start ? end : most;
}

/** How many settled letters are in a state, table by table. */
interface LetterCount {
  readonly state: Exclude<LetterState, 'open'>;
  readonly table: string | null;
  readonly letters: number;
}

export async function countSettled(db: Pool | ClientBase, selector: LetterSelector): Promise<LetterCount[]> {
  const { rows } = await db.query<LetterCount>(
    `select state, table_name as table, count(*)::int4 as letters from ingest.dead_letter
     where state <> 'open' and ${SELECTED}
     group by state, table_name order by state, table_name`,
    selectorValues(selector),
  );
  return rows;
}
