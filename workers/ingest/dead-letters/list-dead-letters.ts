import type { Pool } from 'pg';
import type { DeadLetterClass, DeadLetterState, DeadLetterViolation } from './dead-letter.ts';
import { type DeadLetterSelector, SELECTED, selectorValues } from './select-dead-letters.ts';

/** A dead letter without its content. */
export interface DeadLetterSummary {
  readonly id: number;
  readonly state: DeadLetterState;
  readonly class: DeadLetterClass;
  /** The table in the name of the topic or file; null for an unknown topic. */
  readonly table: string | null;
  /** Key and version as in the mirror; null if they could not be read. */
  readonly key: string | null;
  readonly version: string | null;
  /** Where it was read: a topic, or a file that counts as one. */
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly violations: readonly DeadLetterViolation[];
  readonly recordedAt: Date;
}

export interface DeadLetterDetails extends DeadLetterSummary {
  /** The topic that the record names, if it was read from a file. */
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

export interface ListOptions {
  readonly selector: DeadLetterSelector;
  /** Null for all states. */
  readonly state: DeadLetterState | null;
  readonly limit: number;
}

/** The newest selected dead letters, newest first. */
export async function listDeadLetters(
  pool: Pool,
  { selector, state, limit }: ListOptions,
): Promise<DeadLetterSummary[]> {
  const { rows } = await pool.query<DeadLetterSummary>(
    `select ${SUMMARY} from ingest.dead_letter
     where ${SELECTED} and ($6::text is null or state = $6)
     order by dead_letter.id desc limit $7`,
    [...selectorValues(selector), state, limit],
  );
  return rows;
}

/** One dead letter in full; null if it does not exist. */
export async function findDeadLetter(pool: Pool, id: number): Promise<DeadLetterDetails | null> {
  const { rows } = await pool.query<DeadLetterDetails>(
    `select ${SUMMARY}, record_topic as "recordTopic", record_key as "recordKey", payload, headers,
       record_time as "recordTime", snapshot_time as "snapshotTime", epoch,
       settled_at as "settledAt", settled_by as "settledBy", reason
     from ingest.dead_letter where id = $1`,
    [id],
  );
  return rows[0] ?? null;
}
