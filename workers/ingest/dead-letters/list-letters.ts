import type { Pool } from 'pg';
import type { LetterClass, LetterState, LetterViolation } from './letter-class.ts';
import { type LetterSelector, SELECTED, selectorValues } from './select-letters.ts';

/** A letter without its contents. */
export interface LetterSummary {
  readonly id: number;
  readonly state: LetterState;
  readonly class: LetterClass;
  /** The table that its topic or file names; null where that is none of ours. */
  readonly table: string | null;
  /** Key and version as the mirror would have them; null where they could not be read. */
  readonly key: string | null;
  readonly version: string | null;
  /** Where it was read: a topic, or a file that counts as one. */
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly violations: readonly LetterViolation[];
  readonly recordedAt: Date;
}

export interface Letter extends LetterSummary {
  /** The topic that the record names, where it was read from a file. */
  readonly recordTopic: string | null;
  readonly recordKey: Buffer | null;
  readonly payload: Buffer | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly recordTime: Date | null;
  readonly snapshotTime: Date | null;
  readonly epoch: number;
  readonly settledAt: Date | null;
  readonly settledBy: string | null;
  readonly reason: string | null;
}

const SUMMARY = `
  id::float8 as id, state, class, table_name as table, key, version, topic, partition,
  record_offset::float8 as offset, violations, recorded_at as "recordedAt"`;

/** The newest letters that are meant, newest first. @param state null for all */
export async function listLetters(
  pool: Pool,
  selector: LetterSelector,
  state: LetterState | null,
  limit: number,
): Promise<LetterSummary[]> {
  const { rows } = await pool.query<LetterSummary>(
    `select ${SUMMARY} from ingest.dead_letter
     where ${SELECTED} and ($6::text is null or state = $6)
     order by dead_letter.id desc limit $7`,
    [...selectorValues(selector), state, limit],
  );
  return rows;
}

/** One letter with all that is known of it; null where there is none. */
export async function findLetter(pool: Pool, id: number): Promise<Letter | null> {
  const { rows } = await pool.query<Letter>(
    `select ${SUMMARY}, record_topic as "recordTopic", record_key as "recordKey", payload, headers,
       record_time as "recordTime", snapshot_time as "snapshotTime", epoch,
       settled_at as "settledAt", settled_by as "settledBy", reason
     from ingest.dead_letter where id = $1`,
    [id],
  );
  return rows[0] ?? null;
}
