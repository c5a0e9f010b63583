import type { Pool } from 'pg';
import { int4Array } from '../../db/arrays.ts';
import { projectionByName } from '../../projections/index.ts';
import type { Projection, SourceRegistry } from '../../projections/projection.ts';
import { projectionFingerprint } from '../../projections/store/fingerprint.ts';
import { keptVersions, type Version } from '../../projections/store/version.ts';
import { countProjected } from '../watch/metrics.ts';
import { drainBuckets, type Take } from './drain-buckets.ts';

/** What a projector takes up in one transaction: so little that others soon see it. */
const TAKE: Take = { rows: 512, documents: 1_500 };
/** Where more rows than that have piled up in a bucket: so much that documents marked many times are projected once. */
const TAKE_OF_MANY: Take = { rows: 2_048, documents: 4_000 };
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

/** Buckets of a version that are drained in one transaction. */
export interface Portion {
  readonly projection: Projection;
  readonly version: Version;
  readonly buckets: readonly number[];
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
    const versions = await keptVersions(pool);
    const first = new Set(firstVersions(versions));
    const portions = await markedPortions(pool, ownVersions(versions));
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
      portions.filter(({ version }) => first.has(version)),
      FIRST_TURN_MS,
    );
    await takeTurn(
      portions.filter(({ version }) => !first.has(version)),
      Math.max(OTHERS_TURN.leastMs, OTHERS_TURN.share * tookMs),
    );
  }
  return totals;
}

/** The live version of each projection, or the one that is about to take its place. */
const firstVersions = (versions: readonly Version[]): Version[] =>
  versions.filter(
    ({ state, projection, isFavoured }) =>
      isFavoured ||
      (state === 'live' && !versions.some((other) => other.isFavoured && other.projection === projection)),
  );

/** What this code may write to. While a version is built, its marks gather until the build is through. */
const ownVersions = (versions: readonly Version[]): Version[] =>
  versions.filter(
    ({ state, projection, fingerprint }) =>
      state !== 'building' &&
      projectionByName.has(projection) &&
      projectionFingerprint({ name: projection }) === fingerprint,
  );

/**
 * The buckets with marks: those that hold few of them together, the others alone. In any order, so that projectors that
 * begin at once hold different ones.
 */
export async function markedPortions(pool: Pool, versions: readonly Version[]): Promise<Portion[]> {
  if (versions.length === 0) return [];
  const { rows } = await pool.query<{ version: number; bucket: number; rows: number; keys: number }>({
    name: 'marked-buckets',
    text: `select version, bucket, count(*)::int4 as rows, sum(cardinality(keys))::int4 as keys
           from projection.mark where version = any($1::int4[]) group by version, bucket`,
    values: [int4Array(versions.map(({ id }) => id))],
  });
  const portions: Portion[] = [];
  const open = new Map<number, { buckets: number[]; rows: number; keys: number }>();
  for (const { version: id, bucket, ...more } of shuffled(rows)) {
    const version = versions.find((one) => one.id === id);
    const projection = projectionByName.get(version?.projection ?? '');
    if (version === undefined || projection === undefined) continue;
    let last = open.get(id);
    if (last === undefined || last.rows + more.rows > TAKE.rows || last.keys + more.keys > TAKE.documents) {
      last = { buckets: [], rows: 0, keys: 0 };
      open.set(id, last);
      portions.push({
        projection,
        version,
        buckets: last.buckets,
        take: more.rows > TAKE.rows ? TAKE_OF_MANY : TAKE,
      });
    }
    last.buckets.push(bucket);
    last.rows += more.rows;
    last.keys += more.keys;
  }
  return portions;
}

/** Drains once what a portion names, and adds what was done to the totals. */
export async function drainPortion(
  pool: Pool,
  { projection, version, buckets, take }: Portion,
  registry: SourceRegistry,
  totals: DrainTotals,
): Promise<void> {
  const drained = await drainBuckets(pool, projection, version, buckets, registry, take);
  if (drained.busy) return;
  if (version.state === 'live' && drained.since !== null)
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
