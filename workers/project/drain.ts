import type { Pool } from 'pg';
import { int4Array } from '../../db/arrays.ts';
import { projectionByName } from '../../projections/index.ts';
import type { Projection, SourceRegistry } from '../../projections/projection.ts';
import { projectionFingerprint } from '../../projections/store/fingerprint.ts';
import { ALL_BUCKETS, BUCKETS } from '../../projections/store/mark.ts';
import { keptVersions, type Version, type VersionFamily } from '../../projections/store/version.ts';
import { countProjected } from '../watch/metrics.ts';
import { BESIDE, drainBuckets, type Take } from './drain-buckets.ts';

/** What a projector takes up in one transaction: so little that others soon see it. */
const TAKE: Take = { rows: 1_024, documents: 1_500 };
/** Where more rows than that have piled up in a bucket: so much that documents marked many times are projected once. */
const TAKE_OF_MANY: Take = { rows: 2_048, documents: 4_000 };
/** Of versions that are not served, while those that are wait for their turn: so little that it is no long wait. */
export const TAKE_OF_OTHERS: Take = { rows: 64, documents: 50 };
/** Portions drained side by side: one computes while another waits for the database. */
export const CONCURRENT_PORTIONS = 2;
/** How long what is served is worked on before it is looked again what there is to do. */
const FIRST_TURN_MS = 1_000;
/**
 * For how long versions that are not served are worked on before those that are get another turn: so many times as
 * long as these took, and so many milliseconds at least.
 */
const OTHERS_TURN = { share: 1 / 3, leastMs: 100 };

export interface DrainTotals {
  marks: number;
  changed: number;
  unchanged: number;
  removed: number;
}

/** Buckets that are drained in one transaction. */
export interface Portion {
  readonly projection: Projection;
  readonly versions: VersionFamily;
  /** Whether the first of them is the first of its projection, not one that lags behind that. */
  readonly isFirst: boolean;
  readonly buckets: readonly number[];
  /** When the first of the marks was made, in seconds since 1970. */
  readonly since: number;
  readonly take: Take;
}

/**
 * Works off all marks there are in versions of this code, and those that arise on the way; documents of another code
 * are left to it. What is served comes first; versions that are only kept warm get less time. Buckets that another
 * projector holds are left to it.
 */
export async function drain(
  pool: Pool,
  registry: SourceRegistry,
  signal?: AbortSignal,
  onTurn: () => void = () => {},
): Promise<DrainTotals> {
  const totals: DrainTotals = { marks: 0, changed: 0, unchanged: 0, removed: 0 };
  for (let before = -1; before !== totals.marks && !signal?.aborted; ) {
    before = totals.marks;
    const portions = await markedPortions(pool, families(await keptVersions(pool)));
    const takeTurn = async (turn: readonly Portion[], ms: number): Promise<number> => {
      const start = performance.now();
      const left = [...turn];
      const work = async (): Promise<void> => {
        for (let portion = left.pop(); portion !== undefined; portion = left.pop()) {
          if (signal?.aborted || performance.now() - start > ms) return;
          await drainPortion(pool, portion, registry, totals);
          onTurn();
        }
      };
      await allOf(Array.from({ length: CONCURRENT_PORTIONS }, work));
      return performance.now() - start;
    };
    const tookMs = await takeTurn(
      portions.filter(({ isFirst }) => isFirst),
      FIRST_TURN_MS,
    );
    await takeTurn(
      portions.filter(({ isFirst }) => !isFirst),
      Math.max(OTHERS_TURN.leastMs, OTHERS_TURN.share * tookMs),
    );
  }
  return totals;
}

/** The versions of each projection that this code may write to. */
const families = (versions: readonly Version[]): VersionFamily[] =>
  [...Map.groupBy(ownVersions(versions), ({ projection }) => projection).values()].flatMap((family) => {
    const [first, ...others] = family.toSorted((a, b) => placeOf(a) - placeOf(b));
    return first === undefined ? [] : [[first, ...others]];
  });

const placeOf = ({ isFavoured, state }: Version): number => (isFavoured ? 0 : state === 'live' ? 1 : 2);

/** What this code may write to. While a version is built, its marks gather until the build is through. */
const ownVersions = (versions: readonly Version[]): Version[] =>
  versions.filter(
    ({ state, projection, fingerprint }) =>
      state !== 'building' &&
      projectionByName.has(projection) &&
      projectionFingerprint({ name: projection }) === fingerprint,
  );

/** So much of each bucket is counted as tells how it is taken up; where much has piled up, counting all would take long. */
const MARKED_BUCKETS = `
  with marked as materialized (
    select version, most from unnest($1::int4[], $2::int4[]) kept (version, most)
    where exists (select from projection.mark where mark.version = kept.version)
  )
  select version, number as bucket, count(*)::int4 as rows, sum(cardinality(keys))::int4 as keys, min(id)::float8 as oldest,
    extract(epoch from min(marked_at))::float8 as since
  from marked cross join generate_series(0, ${BUCKETS - 1}) each_bucket (number)
    cross join lateral (
      select id, keys, marked_at from projection.mark
      where mark.version = marked.version and mark.bucket = number order by id limit most
    ) oldest
  group by version, number`;

/**
 * The buckets with marks: those that hold few of them together, the others alone. The last has waited longest; where
 * there is more to do than time, nothing waits much longer than the rest.
 */
export async function markedPortions(pool: Pool, families: readonly VersionFamily[]): Promise<Portion[]> {
  if (families.length === 0) return [];
  const { rows } = await pool.query<MarkedBucket>({
    name: 'marked-buckets',
    text: MARKED_BUCKETS,
    values: [
      int4Array(families.flat().map(({ id }) => id)),
      int4Array(
        families.flatMap((family) =>
          family.map((_, place) => (place === 0 ? TAKE : TAKE_OF_OTHERS).rows + 1),
        ),
      ),
    ],
  });
  const byVersion = Map.groupBy(rows, ({ version }) => version);
  return families
    .flatMap((versions) => portionsOf(versions, byVersion))
    .sort((one, other) => other.since - one.since);
}

interface MarkedBucket {
  readonly version: number;
  readonly bucket: number;
  readonly rows: number;
  readonly keys: number;
  /** The id of its oldest mark. */
  readonly oldest: number;
  readonly since: number;
}

/** A portion that may be given further buckets. */
interface OpenPortion extends Portion {
  readonly buckets: number[];
  since: number;
  rows: number;
  keys: number;
}

/** What is marked in the first version, with which the others are drained, and in each of the others what is left of it. */
function portionsOf(
  versions: VersionFamily,
  byVersion: ReadonlyMap<number, readonly MarkedBucket[]>,
): Portion[] {
  // What is marked in several versions at once has ids beside each other.
  const drained = new Map<number, number>();
  return versions.flatMap(({ id }, place) => {
    const [first, ...others] = versions.slice(place);
    const marked = (byVersion.get(id) ?? []).filter(
      ({ bucket, oldest }) => oldest < (drained.get(bucket) ?? Number.POSITIVE_INFINITY) - BESIDE,
    );
    for (const { bucket, oldest } of marked) drained.set(bucket, oldest);
    return first === undefined ? [] : gathered(marked, [first, ...others], place === 0);
  });
}

function gathered(marked: readonly MarkedBucket[], versions: VersionFamily, isFirst: boolean): Portion[] {
  const projection = projectionByName.get(versions[0].projection);
  if (projection === undefined) return [];
  const usual = isFirst ? TAKE : TAKE_OF_OTHERS;
  const portions: OpenPortion[] = [];
  let last: OpenPortion | null = null;
  // Projectors that begin at once put different ones together, and so hold different ones.
  for (const { bucket, rows, keys, since } of shuffled(marked)) {
    if (last === null || last.rows + rows > usual.rows || last.keys + keys > usual.documents) {
      const take = isFirst && rows > TAKE.rows ? TAKE_OF_MANY : usual;
      last = { projection, versions, isFirst, buckets: [], since, take, rows: 0, keys: 0 };
      portions.push(last);
    }
    last.buckets.push(bucket);
    last.since = Math.min(last.since, since);
    last.rows += rows;
    last.keys += keys;
  }
  const [only] = portions;
  return only?.take === TAKE && portions.length === 1 ? [ofAllBuckets(only)] : portions;
}

/** What one projector does by itself it does with what that touches, in whichever buckets that is. */
const ofAllBuckets = (portion: Portion): Portion => ({ ...portion, buckets: ALL_BUCKETS });

/** Drains once what a portion names, and adds what was done to the totals. */
export async function drainPortion(
  pool: Pool,
  { projection, versions, buckets, take }: Portion,
  registry: SourceRegistry,
  totals: DrainTotals,
): Promise<void> {
  const drained = await drainBuckets(pool, projection, versions, buckets, registry, take);
  if (drained.busy) return;
  if (versions[0].state === 'live' && drained.since !== null)
    countProjected(projection.name, drained, Math.max(0, Date.now() - drained.since.getTime()) / 1_000);
  totals.marks += drained.marks;
  totals.changed += drained.changed;
  totals.unchanged += drained.unchanged;
  totals.removed += drained.removed;
}

/** Waits for all, so that nothing is under way any more when one has failed. @throws what the first failed by */
export async function allOf(works: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(works)).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

function shuffled<T>(all: readonly T[]): T[] {
  const result = [...all];
  for (let last = result.length - 1; last > 0; last--) {
    const other = Math.floor(Math.random() * (last + 1));
    [result[last], result[other]] = [result[other] as T, result[last] as T];
  }
  return result;
}
