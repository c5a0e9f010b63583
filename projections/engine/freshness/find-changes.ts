import type { Pool } from 'pg';
import { int8Array, textArray } from '../../../db/arrays.ts';
import { sources } from '../../contracts/index.ts';
import { type ChangeReference, partitionName, type RecordPosition } from './position.ts';

/** A partition of the table of a requested change, counted from 1. */
interface FoundPart {
  readonly number: number;
  readonly topic: string;
  readonly partition: number;
  /** The last record of the change in this partition; null if it is not known to be applied. */
  readonly offset: number | null;
  readonly isExact: boolean;
  readonly isComplete: boolean;
}

/**
 * Per change and partition of its table. A transaction is complete in a partition once another follows it, or nothing does
 * for a while: its changes may come in several batches. A topic that the table had before counts no more.
 */
const FIND = `
  select number::int, topic, partition, offsets[at]::float8 as "offset", is_exact as "isExact",
    at > 1 or lsn is not null or moved_at < clock_timestamp() - interval '250 milliseconds' as "isComplete"
  from (
    select requested.number, requested.lsn, tail.*,
      first_value(topic) over (partition by requested.number order by moved_at desc) as newest_topic,
      coalesce(array_position(positions, requested.lsn::pg_lsn) is not null, false) as is_exact,
      case
        when requested.lsn is null then array_position(ids, requested.transaction)
        when newest_commit >= requested.lsn::pg_lsn then 1
        else array_position(positions, requested.lsn::pg_lsn)
      end as at
    from unnest($1::text[], $2::text[], $3::int8[]) with ordinality requested (name, lsn, transaction, number)
      join ingest.source using (name)
      join ingest.recent_transaction tail on tail.source = source.id and tail.epoch = source.epoch
  ) known
  where topic = newest_topic`;

/**
 * Finds the records of changes that producers know by position or transaction.
 *
 * @returns for each change the positions to wait for; null if it is not known to be applied yet
 */
export async function findChanges(
  pool: Pool,
  changes: readonly ChangeReference[],
): Promise<readonly (readonly RecordPosition[] | null)[]> {
  const { rows } = await pool.query<FoundPart>({
    name: 'find-changes',
    text: FIND,
    values: [
      textArray(changes.map(({ table }) => table)),
      textArray(changes.map(({ lsn }) => lsn ?? null)),
      int8Array(changes.map(({ transaction }) => transaction ?? null)),
    ],
  });
  return changes.map((change, index) => {
    const found = rows.filter(({ number }) => number === index + 1);
    return change.lsn === undefined ? ofTransaction(found) : atPosition(found);
  });
}

/** In every partition that has a part of it. */
function ofTransaction(found: readonly FoundPart[]): readonly RecordPosition[] | null {
  const parts = found.filter(({ offset }) => offset !== null);
  return parts.length > 0 && parts.every(({ isComplete }) => isComplete) ? positionsOf(parts) : null;
}

/** The change at the position itself, or in every partition one that came after a commit at or past it. */
function atPosition(found: readonly FoundPart[]): readonly RecordPosition[] | null {
  const exact = found.filter(({ isExact, offset }) => isExact && offset !== null);
  if (exact.length > 0) return positionsOf(exact);
  const reached = found.filter(({ offset }) => offset !== null);
  const partitions = new Set(found.map(partitionName));
  return reached.length > 0 && new Set(reached.map(partitionName)).size === partitions.size
    ? positionsOf(reached)
    : null;
}

const positionsOf = (found: readonly FoundPart[]): readonly RecordPosition[] =>
  found.map(({ topic, partition, offset }) => ({ topic, partition, offset: offset ?? 0 }));

/** Whether a topic ends in the name of a source's table. */
export const isTopicOfSource = (topic: string): boolean =>
  sources.some(({ table }) => topic.endsWith(`.${table}`));

/** The first topic that no consumer has read; null if there is none. */
export async function findUnreadTopic(pool: Pool, topics: readonly string[]): Promise<string | null> {
  const { rows } = await pool.query<{ topic: string }>({
    name: 'find-unread-topic',
    text: `select requested.topic from unnest($1::text[]) requested (topic)
           where not exists (select from ingest.position where position.topic = requested.topic) limit 1`,
    values: [textArray(topics)],
  });
  return rows[0]?.topic ?? null;
}
