import type { Pool } from 'pg';
import { int4Array, int8Array, textArray } from '../../db/arrays.ts';
import { BUCKETS, TOUCH_DEPTH } from '../store/mark.ts';
import { type LogPosition, placeOf, positionText } from './position.ts';

/** What one statement, and so one snapshot, shows of how far changes have come. */
export interface Look {
  /** The positions that were asked for, as they are written. */
  readonly asked: ReadonlySet<string>;
  /** Those of them whose records are dead letters, so that they have no effect. */
  readonly refused: ReadonlySet<string>;
  /** For each partition that was asked for, by name, the offset of the next record to be applied; none before the first. */
  readonly nextOffsets: ReadonlyMap<string, number>;
  /** The versions that are served. */
  readonly live: string;
  /** No mark that the snapshot shows has a greater id. */
  readonly newestMark: number;
  /** The least id among the marks of versions that are served; null without marks. */
  readonly oldestMark: number | null;
}

/** The sequence is read after the snapshot was taken, or on a replica as it was logged ahead: never too low. */
const LOOK = `
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
         join unnest($1::text[], $2::int4[]) asked (topic, partition) using (topic, partition)
       group by topic, partition
     ) reached) as reached,
    (select json_agg(topic || ':' || partition || ':' || record_offset)
     from ingest.dead_letter
       join unnest($1::text[], $2::int4[], $3::int8[]) asked (topic, partition, record_offset)
         using (topic, partition, record_offset)
     where state in ('open', 'discarded')) as refused`;

interface LookRow {
  readonly newest_mark: number;
  readonly live: string;
  readonly oldest_mark: number | null;
  readonly reached: Readonly<Record<string, number>> | null;
  readonly refused: readonly string[] | null;
}

/** @param positions each once */
export async function readLook(pool: Pool, positions: readonly LogPosition[]): Promise<Look> {
  const { rows } = await pool.query<LookRow>({
    name: 'look-for-positions',
    text: LOOK,
    values: [
      textArray(positions.map(({ topic }) => topic)),
      int4Array(positions.map(({ partition }) => partition)),
      int8Array(positions.map(({ offset }) => offset)),
    ],
  });
  const [row] = rows;
  if (row === undefined) throw new Error('the database answered nothing');
  return {
    asked: new Set(positions.map(positionText)),
    refused: new Set(row.refused),
    nextOffsets: new Map(Object.entries(row.reached ?? {})),
    live: row.live,
    newestMark: row.newest_mark,
    oldestMark: row.oldest_mark,
  };
}

/** Offsets below which every change is known to be visible, by partition, while the same versions are served. */
export interface Frontier {
  live: string;
  readonly nextOffsets: Map<string, number>;
}

/** `refused` where one of the positions will not become visible by waiting. */
export type Sight = 'visible' | 'refused' | 'not yet';

/** How far one reader's positions have come, from look to look. */
export interface Progress {
  /** Positions that the next look must tell of. */
  wants(): readonly LogPosition[];
  /** Takes in a look. */
  advance(look: Look): Sight;
}

/**
 * Follows positions until they are visible. Once applied, a change stands in the documents when the marks that its
 * batch made are cleared, and those that clearing them made, as deep as that goes. Which marks these are is not known;
 * but all of them are among those up to the newest id of the look that first shows the positions applied. When these
 * are cleared, what clearing them made is among the marks up to the newest id then, and so on.
 *
 * Marks made later have greater ids, but for those of transactions under way, so that it ends however many come after.
 */
export function followPositions(positions: readonly LogPosition[], frontier: Frontier): Progress {
  let round: Round | null = null;
  const areReached = (offsets: ReadonlyMap<string, number>): boolean =>
    positions.every((position) => position.offset < (offsets.get(placeOf(position)) ?? 0));
  const isAmong = (texts: ReadonlySet<string>) => (position: LogPosition) =>
    texts.has(positionText(position));
  return {
    wants: () => (round === null ? positions : []),
    advance(look) {
      if (frontier.live !== look.live) {
        frontier.live = look.live;
        frontier.nextOffsets.clear();
      }
      // Another version may be behind the one that was followed.
      if (round !== null && round.live !== look.live) round = null;
      if (round === null) {
        if (positions.some(isAmong(look.refused))) return 'refused';
        if (!positions.every(isAmong(look.asked))) return 'not yet';
        if (areReached(frontier.nextOffsets)) return 'visible';
        if (!areReached(look.nextOffsets)) return 'not yet';
        round = { live: look.live, reached: look.nextOffsets, upTo: look.newestMark, left: TOUCH_DEPTH };
      }
      if (!isThrough(round, look)) return 'not yet';
      for (const position of positions) widen(frontier, placeOf(position), round.reached);
      return 'visible';
    },
  };
}

/** Waiting for the marks up to an id. */
interface Round {
  readonly live: string;
  /** How far the partitions had been applied when the first round began. */
  readonly reached: ReadonlyMap<string, number>;
  upTo: number;
  /** Rounds to follow. */
  left: number;
}

function isThrough(round: Round, { oldestMark, newestMark }: Look): boolean {
  if (oldestMark === null) return true;
  if (oldestMark <= round.upTo) return false;
  if (round.left === 0) return true;
  round.left -= 1;
  round.upTo = newestMark;
  return false;
}

/** Partitions that a frontier keeps, far more than a log has. */
const MOST_PLACES = 10_000;

function widen({ nextOffsets }: Frontier, place: string, reached: ReadonlyMap<string, number>): void {
  const offset = Math.max(reached.get(place) ?? 0, nextOffsets.get(place) ?? 0);
  if (nextOffsets.size >= MOST_PLACES) nextOffsets.clear();
  nextOffsets.set(place, offset);
}
