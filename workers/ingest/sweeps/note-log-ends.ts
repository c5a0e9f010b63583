import type { Admin } from 'kafkajs';
import type { Pool } from 'pg';

/** The part of kafkajs that knows where logs end. */
export type LogEnds = Pick<Admin, 'listTopics' | 'fetchTopicOffsets'>;

interface Ended {
  readonly id: number;
  readonly topics: readonly string[];
}

/** The topic of the rows, and those on which the connector reports. */
const ENDED = `
  select id, array(select sweep.topic union
    select notice.topic from ingest.snapshot_notice notice
    where notice.consumer_group = sweep.consumer_group and notice.connector = sweep.connector) as topics
  from ingest.sweep
  where consumer_group = $1 and state = 'waiting' and log_ends is null
    and noted_at <= now() - $2::float8 * interval '1 millisecond'`;

/**
 * Stores where the logs end that have to be read before the rows can be known that a snapshot lacks: its rows are in all
 * partitions, and a connector may write its last one before others.
 *
 * @param graceMs how long after the end of a snapshot
 */
export async function noteLogEnds(
  pool: Pool,
  logs: LogEnds,
  { group, graceMs }: { readonly group: string; readonly graceMs: number },
): Promise<void> {
  const { rows: ended } = await pool.query<Ended>({
    name: 'ended-snapshots',
    text: ENDED,
    values: [group, graceMs],
  });
  if (ended.length === 0) return;
  // Asking for the offsets of an unknown topic could create it.
  const known = new Set(await logs.listTopics());
  const topics = [...new Set(ended.flatMap((one) => one.topics))].filter((topic) => known.has(topic));
  const ends = await Promise.all(
    topics.map(async (topic) =>
      (await logs.fetchTopicOffsets(topic)).map(({ partition, high }) => ({
        topic,
        partition,
        end: Number(high),
      })),
    ),
  );
  for (const one of ended)
    await pool.query('update ingest.sweep set log_ends = $2 where id = $1 and log_ends is null', [
      one.id,
      JSON.stringify(ends.flat().filter(({ topic }) => one.topics.includes(topic))),
    ]);
}
