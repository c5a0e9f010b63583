import type { Pool } from 'pg';
import { int4Array } from '../../db/arrays.ts';
import type { SourceRegistry } from '../../projections/engine/projection.ts';
import { isOwn } from '../../projections/engine/store/code-version.ts';
import { ALL_BUCKETS, BUCKETS } from '../../projections/engine/store/mark.ts';
import { type KeptVersion, keptVersions, type VersionGroup } from '../../projections/engine/store/version.ts';
import { projectionByName, projections } from '../../projections/index.ts';
import { countProjected } from './metrics.ts';
import { BATCH_LIMITS, type Batch, projectBatch } from './project-batch.ts';

/** While one batch computes, another waits for the database. */
const CONCURRENT_BATCHES = 2;
/** Time slices of a round. That of the others is short, because changes of served versions wait for it. */
const TIME_SLICE_MS = { served: 1_000, others: 250 };

export interface DrainTotals {
  marks: number;
  changed: number;
  unchanged: number;
  removed: number;
}

export interface MarkedBatches {
  /** Of the first version of each group; oldest marks first. */
  readonly served: Batch[];
  /** Of versions that lag behind the first of their group; oldest marks first. */
  readonly others: Batch[];
}

interface DrainOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onBatch?: () => void;
}

/**
 * Projects all marked documents of versions of this code, and those marked meanwhile: served versions first, then the
 * others. Skips buckets that another projector holds, and versions of other code.
 */
export async function drain(
  pool: Pool,
  registry: SourceRegistry,
  { signal, onBatch = () => {} }: DrainOptions = {},
): Promise<DrainTotals> {
  const totals: DrainTotals = { marks: 0, changed: 0, unchanged: 0, removed: 0 };
  const projectFor = (ms: number, batches: readonly Batch[]): Promise<void> => {
    const end = performance.now() + ms;
    return projectBatches(pool, batches, registry, {
      totals,
      isOver: () => signal?.aborted === true || performance.now() > end,
      onBatch: async () => onBatch(),
    });
  };
  for (let before = -1; before !== totals.marks && !signal?.aborted; ) {
    before = totals.marks;
    const { served, others } = await markedBatches(
      pool,
      versionGroups(await keptVersions(pool, projections)),
    );
    await projectFor(TIME_SLICE_MS.served, served);
    await projectFor(TIME_SLICE_MS.others, others);
  }
  return totals;
}

interface ProjectOptions {
  readonly totals: DrainTotals;
  readonly isOver: () => boolean;
  readonly onBatch: (workedMs: number) => Promise<void>;
}

/** Projects batches concurrently until none is left or time is over, and adds the counts to the totals. */
export async function projectBatches(
  pool: Pool,
  batches: readonly Batch[],
  registry: SourceRegistry,
  { totals, isOver, onBatch }: ProjectOptions,
): Promise<void> {
  const left = [...batches];
  const work = async (): Promise<void> => {
    for (let batch = left.shift(); batch !== undefined && !isOver(); batch = left.shift()) {
      const start = performance.now();
      const result = await projectBatch(pool, batch, registry);
      if (result !== null) {
        if (batch.versions[0].state === 'live' && result.since !== null)
          countProjected(
            batch.projection.name,
            result,
            Math.max(0, Date.now() - result.since.getTime()) / 1_000,
          );
        totals.marks += result.marks;
        totals.changed += result.changed;
        totals.unchanged += result.unchanged;
        totals.removed += result.removed;
      }
      await onBatch(performance.now() - start);
    }
  };
  // Settled, so that no batch is still running when another has failed.
  const works = await Promise.allSettled(Array.from({ length: CONCURRENT_BATCHES }, work));
  const failed = works.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

/** The versions of each projection that this code may write to. While a version is built, its marks wait. */
function versionGroups(versions: readonly KeptVersion[]): VersionGroup[] {
  const own = versions.filter(
    (version) => version.state !== 'building' && isOwn(version, projectionByName.get(version.projection)),
  );
  return [...Map.groupBy(own, ({ projection }) => projection).values()].flatMap((group) => {
    const [first, ...others] = group.toSorted((a, b) => rankOf(a) - rankOf(b));
    return first === undefined ? [] : [[first, ...others]];
  });
}

const rankOf = ({ isFavoured, state }: KeptVersion): number => (isFavoured ? 0 : state === 'live' ? 1 : 2);

/** Marks of each bucket, counted up to the limits of a batch: counting a whole backlog takes too long. */
const MARKED_BUCKETS = `
  with marked as materialized (
    select version from unnest($1::int4[]) kept (version)
    where exists (select from projection.mark where mark.version = kept.version)
  )
  select version, number as bucket, count(*)::int4 as rows, sum(cardinality(keys))::int4 as keys, min(id)::float8 as oldest,
    extract(epoch from min(marked_at))::float8 as since
  from marked cross join generate_series(0, ${BUCKETS - 1}) each_bucket (number)
    cross join lateral (
      select id, keys, marked_at from projection.mark
      where mark.version = marked.version and mark.bucket = number order by id limit $2
    ) oldest
  group by version, number`;

interface MarkedBucket {
  readonly version: number;
  readonly bucket: number;
  readonly rows: number;
  readonly keys: number;
  /** Id of the oldest mark. */
  readonly oldest: number;
  /** When the oldest mark was made, in seconds since 1970. */
  readonly since: number;
}

/** Gathers marked buckets into batches: several with few marks, one with many. */
export async function markedBatches(pool: Pool, groups: readonly VersionGroup[]): Promise<MarkedBatches> {
  if (groups.length === 0) return { served: [], others: [] };
  const { rows } = await pool.query<MarkedBucket>({
    name: 'marked-buckets',
    text: MARKED_BUCKETS,
    values: [int4Array(groups.flat().map(({ id }) => id)), BATCH_LIMITS.rows],
  });
  const marked = Map.groupBy(rows, ({ version }) => version);
  return {
    served: oldestFirst(groups.flatMap((group) => batchesOf(group, marked.get(group[0].id) ?? []))),
    others: oldestFirst(groups.flatMap((group) => laggingBatches(group, marked))),
  };
}

interface DatedBatch extends Batch {
  readonly buckets: number[];
  since: number;
}

const oldestFirst = (batches: DatedBatch[]): Batch[] => batches.sort((a, b) => a.since - b.since);

/** Batches of the marks that a version has and the ones before it in its group do not: those have newer ids. */
function laggingBatches(
  group: VersionGroup,
  marked: ReadonlyMap<number, readonly MarkedBucket[]>,
): DatedBatch[] {
  const oldest = new Map<number, number>();
  return group.flatMap(({ id }, index) => {
    const older = (marked.get(id) ?? []).filter(
      (bucket) => bucket.oldest < (oldest.get(bucket.bucket) ?? Number.POSITIVE_INFINITY),
    );
    for (const bucket of older) oldest.set(bucket.bucket, bucket.oldest);
    const [first, ...others] = group.slice(index);
    return first === undefined || index === 0 ? [] : batchesOf([first, ...others], older);
  });
}

function batchesOf(versions: VersionGroup, marked: readonly MarkedBucket[]): DatedBatch[] {
  const projection = projectionByName.get(versions[0].projection);
  if (projection === undefined) return [];
  const batches: DatedBatch[] = [];
  let size = { rows: 0, keys: 0 };
  // In random order, so that concurrent projectors gather different buckets and lock different ones.
  for (const { bucket, rows, keys, since } of shuffled(marked)) {
    const last = batches.at(-1);
    const sum = { rows: size.rows + rows, keys: size.keys + keys };
    if (last === undefined || sum.rows > BATCH_LIMITS.rows || sum.keys > BATCH_LIMITS.documents) {
      batches.push({ projection, versions, buckets: [bucket], since });
      size = { rows, keys };
    } else {
      last.buckets.push(bucket);
      last.since = Math.min(last.since, since);
      size = sum;
    }
  }
  const [only] = batches;
  // A single small batch locks all buckets, so that it can project dependents in any of them.
  return only !== undefined && batches.length === 1 && size.rows < BATCH_LIMITS.rows
    ? [{ ...only, buckets: [...ALL_BUCKETS] }]
    : batches;
}

function shuffled<T>(all: readonly T[]): T[] {
  const result = [...all];
  for (let last = result.length - 1; last > 0; last--) {
    const other = Math.floor(Math.random() * (last + 1));
    [result[last], result[other]] = [result[other] as T, result[last] as T];
  }
  return result;
}
