import type { ClientBase, Pool } from 'pg';

/** Groups whose partitions are files, named `<table or file>#<digest>` and variants of it. */
export const FILE_GROUPS: readonly string[] = ['snapshot', 'changes'];

export interface PartitionId {
  readonly topic: string;
  readonly partition: number;
}

/** A partition as a consumer group reads it. A file is a partition too. */
export interface TopicPartition extends PartitionId {
  readonly group: string;
}

/** Another consumer has moved the position: it has taken over the partition, and this batch must not be written. */
export class PositionLost extends Error {
  override readonly name = 'PositionLost';
}

/** The offset of the next record to apply; null if none was applied yet. */
export async function readPosition(
  db: ClientBase | Pool,
  { group, topic, partition }: TopicPartition,
): Promise<number | null> {
  const { rows } = await db.query<{ next_offset: string }>({
    name: 'read-position',
    text: `select next_offset from ingest.position
           where consumer_group = $1 and topic = $2 and partition = $3`,
    values: [group, topic, partition],
  });
  return rows[0] === undefined ? null : Number(rows[0].next_offset);
}

/** Continues at the position of a file that an earlier release named otherwise. */
export async function adoptPosition(
  pool: Pool,
  { group, topic, partition }: TopicPartition,
  formerTopic: string,
): Promise<void> {
  await pool.query(
    `insert into ingest.position (consumer_group, topic, partition, next_offset, moved_at)
     select consumer_group, $2, partition, next_offset, moved_at from ingest.position
     where consumer_group = $1 and topic = $4 and partition = $3 on conflict do nothing`,
    [group, topic, partition, formerTopic],
  );
}

export interface StoredPosition extends PartitionId {
  readonly position: number;
  readonly movedAt: Date;
}

/** The positions of a group in all partitions from which it has applied records. */
export async function readPositions(db: ClientBase | Pool, group: string): Promise<StoredPosition[]> {
  const { rows } = await db.query<{ topic: string; partition: number; next_offset: string; moved_at: Date }>({
    name: 'read-positions',
    text: 'select topic, partition, next_offset, moved_at from ingest.position where consumer_group = $1',
    values: [group],
  });
  return rows.map((row) => ({
    topic: row.topic,
    partition: row.partition,
    position: Number(row.next_offset),
    movedAt: row.moved_at,
  }));
}

export interface PositionMove {
  readonly topicPartition: TopicPartition;
  /** The stored position; null if there is none yet. */
  readonly from: number | null;
  readonly to: number;
  /** When the record at the new position was written to the log, at the latest; null at the end of the log (default). */
  readonly unreadSinceMs?: number | null | undefined;
}

/** Moves the position by compare-and-set. @throws PositionLost if it is not at `from` any more */
export async function movePosition(
  client: ClientBase,
  { topicPartition: { group, topic, partition }, from, to, unreadSinceMs }: PositionMove,
): Promise<void> {
  const { rowCount } = await client.query({
    name: from === null ? 'start-position' : 'move-position',
    text:
      from === null
        ? `insert into ingest.position (consumer_group, topic, partition, next_offset, unread_since)
           values ($1, $2, $3, $4, $5) on conflict do nothing`
        : `update ingest.position set next_offset = $4, moved_at = now(), unread_since = $5
           where consumer_group = $1 and topic = $2 and partition = $3 and next_offset = $6`,
    values: [
      group,
      topic,
      partition,
      to,
      unreadSinceMs ? new Date(unreadSinceMs) : null,
      ...(from === null ? [] : [from]),
    ],
  });
  if (rowCount !== 1) throw new PositionLost(`${topic}/${partition} is not at ${from} any more`);
}

/** Notes since when a record waits that cannot be applied, for the lag of its source. Does nothing once it is applied. */
export async function noteUnread(
  db: ClientBase | Pool,
  { group, topic, partition }: TopicPartition,
  { offset, sinceMs }: { readonly offset: number; readonly sinceMs: number },
): Promise<void> {
  await db.query(
    `update ingest.position set unread_since = $4
     where consumer_group = $1 and topic = $2 and partition = $3 and next_offset <= $5
       and unread_since is null`,
    [group, topic, partition, new Date(sinceMs), offset],
  );
}
