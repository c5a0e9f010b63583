import type { Pool } from 'pg';
import { int4Array, int8Array, textArray } from '../../../db/arrays.ts';
import { BUCKETS, DEPENDENT_DEPTH } from '../store/mark.ts';
import { partitionName, positionText, type RecordPosition } from './position.ts';

/** How far changes have come, as one statement and so one snapshot shows it. */
export interface VisibilityPoll {
  /** The requested positions as text. */
  readonly requested: ReadonlySet<string>;
  /** The requested positions whose records are dead letters and so have no effect. */
  readonly deadLetters: ReadonlySet<string>;
  /** For each requested partition, by name, the next offset to apply; missing before the first. */
  readonly nextOffsets: ReadonlyMap<string, number>;
  /** The ids of the live versions as text. */
  readonly live: string;
  /** At least the greatest id among the dirty marks of the snapshot. */
  readonly newestMark: number;
  /** The least id among the dirty marks of live versions; null without marks. */
  readonly oldestMark: number | null;
}

/** The sequence is read after the snapshot was taken, and a replica sees it logged ahead: it is never too low. */
const VISIBILITY = `
  select
    (select last_value from projection.mark_id_seq)::float8 as newest_mark,
    (select coalesce(string_agg(id::text, ',' order by id), '') from projection.version where state = 'live') as live,
    (select min(oldest.id)
     from projection.version
       cross join generate_series(0, ${BUCKETS - 1}) each_bucket (number)
       cross join lateral (
         select id from projection.mark
         where mark.version = version.id and mark.bucket = number order by id limit 1
       ) oldest
     where state = 'live')::float8 as oldest_mark,
    (select json_object_agg(topic || ':' || partition, next_offset)
     from (
       select topic, partition, max(next_offset) as next_offset
       from ingest.position
         join unnest($1::text[], $2::int4[]) requested (topic, partition) using (topic, partition)
       group by topic, partition
     ) reached) as reached,
    (select json_agg(topic || ':' || partition || ':' || record_offset)
     from ingest.dead_letter
       join unnest($1::text[], $2::int4[], $3::int8[]) requested (topic, partition, record_offset)
         using (topic, partition, record_offset)
     where state in ('open', 'discarded')) as dead_letters`;

interface VisibilityRow {
  readonly newest_mark: number;
  readonly live: string;
  readonly oldest_mark: number | null;
  readonly reached: Readonly<Record<string, number>> | null;
  readonly dead_letters: readonly string[] | null;
}

/** @param positions without duplicates */
export async function readVisibility(
  pool: Pool,
  positions: readonly RecordPosition[],
): Promise<VisibilityPoll> {
  const { rows } = await pool.query<VisibilityRow>({
    name: 'poll-positions',
    text: VISIBILITY,
    values: [
      textArray(positions.map(({ topic }) => topic)),
      int4Array(positions.map(({ partition }) => partition)),
      int8Array(positions.map(({ offset }) => offset)),
    ],
  });
  const [row] = rows;
  if (row === undefined) throw new Error('the database returned no row');
  return {
    requested: new Set(positions.map(positionText)),
    deadLetters: new Set(row.dead_letters),
    nextOffsets: new Map(Object.entries(row.reached ?? {})),
    live: row.live,
    newestMark: row.newest_mark,
    oldestMark: row.oldest_mark,
  };
}

/** By partition, the offset below which every change is visible, as long as the same versions are live. */
export interface Frontier {
  live: string;
  readonly nextOffsets: Map<string, number>;
}

/** `dead letter`: one of the records became one, so it will never be visible. */
export type PositionOutcome = 'visible' | 'dead letter' | 'not yet';

/** Follows the positions of one reader from poll to poll. */
export interface PositionTracker {
  /** The positions that the next poll must request. */
  pending(): readonly RecordPosition[];
  advance(poll: VisibilityPoll): PositionOutcome;
}

/**
 * Follows positions until they are visible. An applied change is in the documents once the dirty marks of its batch are
 * cleared, and then the marks of dependents that clearing them made, to the depth of dependents. Which marks these are is
 * unknown, but all have ids up to the newest mark of the poll that first shows the positions applied. Once those are
 * cleared, the marks of dependents have ids up to the newest mark then, and so on.
 *
 * Later marks have greater ids, except those of open transactions, so the wait ends under any load.
 */
export function followPositions(positions: readonly RecordPosition[], frontier: Frontier): PositionTracker {
  let round: CatchUpRound | null = null;
  const areApplied = (offsets: ReadonlyMap<string, number>): boolean =>
    positions.every((position) => position.offset < (offsets.get(partitionName(position)) ?? 0));
  const isAmong = (texts: ReadonlySet<string>) => (position: RecordPosition) =>
    texts.has(positionText(position));
  return {
    pending: () => (round === null ? positions : []),
    advance(poll) {
      if (frontier.live !== poll.live) {
        frontier.live = poll.live;
        frontier.nextOffsets.clear();
      }
      // Another live version may lag behind the one followed so far.
      if (round !== null && round.live !== poll.live) round = null;
      if (round === null) {
        if (positions.some(isAmong(poll.deadLetters))) return 'dead letter';
        if (!positions.every(isAmong(poll.requested))) return 'not yet';
        if (areApplied(frontier.nextOffsets)) return 'visible';
        if (!areApplied(poll.nextOffsets)) return 'not yet';
        round = { live: poll.live, reached: poll.nextOffsets, upTo: poll.newestMark, left: DEPENDENT_DEPTH };
      }
      if (!isCaughtUp(round, poll)) return 'not yet';
      for (const position of positions) advanceFrontier(frontier, partitionName(position), round.reached);
      return 'visible';
    },
  };
}

/** A wait for the dirty marks up to an id. */
interface CatchUpRound {
  readonly live: string;
  /** The next offsets when the first round began. */
  readonly reached: ReadonlyMap<string, number>;
  upTo: number;
  /** Rounds that follow. */
  left: number;
}

function isCaughtUp(round: CatchUpRound, { oldestMark, newestMark }: VisibilityPoll): boolean {
  if (oldestMark === null) return true;
  if (oldestMark <= round.upTo) return false;
  if (round.left === 0) return true;
  round.left -= 1;
  round.upTo = newestMark;
  return false;
}

/** Far more partitions than a log has. */
const MAX_PARTITIONS = 10_000;

function advanceFrontier(
  { nextOffsets }: Frontier,
  partition: string,
  reached: ReadonlyMap<string, number>,
): void {
  const offset = Math.max(reached.get(partition) ?? 0, nextOffsets.get(partition) ?? 0);
  if (nextOffsets.size >= MAX_PARTITIONS) nextOffsets.clear();
  nextOffsets.set(partition, offset);
}
