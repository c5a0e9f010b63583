import type { ClientBase, Pool } from 'pg';

/** Groups whose partitions are files, named `<file>#<size>@<time>`, with more behind it. */
export const FILE_GROUPS: readonly string[] = ['snapshot', 'changes'];

/** Where a group reads a partition; a snapshot file is a partition of its own. */
export interface Place {
  readonly group: string;
  readonly topic: string;
  readonly partition: number;
}

/** Someone else has moved the position: the partition was lost, and nothing of this batch may be written. */
export class PositionLost extends Error {
  override readonly name = 'PositionLost';
}

/** The offset of the next record to apply; null where nothing was applied yet. */
export async function readPosition(db: ClientBase | Pool, place: Place): Promise<number | null> {
  const { rows } = await db.query<{ next_offset: string }>({
    name: 'read-position',
    text: `select next_offset from ingest.position
           where consumer_group = $1 and topic = $2 and partition = $3`,
    values: [place.group, place.topic, place.partition],
  });
  return rows[0] === undefined ? null : Number(rows[0].next_offset);
}

/** Where a group stands in a partition, and since when. */
export interface StoredPosition {
  readonly topic: string;
  readonly partition: number;
  readonly position: number;
  readonly movedAt: Date;
}

/** Where a group stands in every partition of which it has applied something. */
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

/** Moves the position by compare-and-set. @throws PositionLost where it is not at `from` any more */
export async function movePosition(
  client: ClientBase,
  place: Place,
  from: number | null,
  to: number,
): Promise<void> {
  const { rowCount } = await client.query({
    name: from === null ? 'start-position' : 'move-position',
    text:
      from === null
        ? `insert into ingest.position (consumer_group, topic, partition, next_offset)
           values ($1, $2, $3, $4) on conflict do nothing`
        : `update ingest.position set next_offset = $4, moved_at = now()
           where consumer_group = $1 and topic = $2 and partition = $3 and next_offset = $5`,
    values: [place.group, place.topic, place.partition, to, ...(from === null ? [] : [from])],
  });
  if (rowCount !== 1) throw new PositionLost(`${place.topic}/${place.partition} is not at ${from} any more`);
}
