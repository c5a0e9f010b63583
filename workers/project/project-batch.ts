import type { ClientBase, Pool } from 'pg';
import { int2Array, int4Array, int8Array } from '../../db/arrays.ts';
import { LOCKS } from '../../db/locks.ts';
import { documentTransaction } from '../../db/transaction.ts';
import type { Projection, SourceRegistry } from '../../projections/engine/projection.ts';
import type { SubjectRef } from '../../projections/engine/rows.ts';
import { BUCKETS, bucketOf, earlier, markDirty } from '../../projections/engine/store/mark.ts';
import type { Version, VersionGroup } from '../../projections/engine/store/version.ts';
import { addResults, NO_WRITES, type WriteResult } from '../../projections/engine/store/write-documents.ts';
import { projectKeys } from './project-keys.ts';

/** Limits of one transaction: so small that others soon see its documents. */
export const BATCH_LIMITS = {
  /** Rows of dirty marks. */
  rows: 1_024,
  /** Documents after which no further row is read. */
  documents: 1_500,
};

/** Dirty marks that are projected in one transaction. */
export interface Batch {
  readonly projection: Projection;
  /** The marks are those of the first; the documents are written to all. */
  readonly versions: VersionGroup;
  readonly buckets: readonly number[];
}

/** What one transaction did; null if other projectors hold all its buckets. */
export type BatchResult = BatchCounts | null;

interface BatchCounts extends WriteResult {
  /** Cleared in all versions. */
  readonly marks: number;
  /** When the oldest of the marks was made; null without any. */
  readonly since: Date | null;
}

/**
 * Excludes versions that are about to be dropped, and the live version if another is about to replace it and is not
 * written together with it ($4). The transaction's start is the safe side: a request that ended since still counts.
 */
const OLDEST_MARKS = `
  select id, keys, marked_at from projection.mark
  where version = $1 and bucket = any($2::int2[]) and (
    select state <> 'retired' and not (state = 'live' and exists (
      select from projection.version next
      where next.projection = known.projection and next.switch_until > now() and next.id <> all($4::int4[])))
    from projection.version known where id = $1)
  order by id limit $3`;

const CLEAR_MARKS = `
  with cleared as (
    delete from projection.mark
    where version = any($1::int4[]) and bucket = any($2::int2[]) and id = any($3::int8[])
    returning keys
  )
  select coalesce(sum(cardinality(keys)), 0)::int4 as marks from cleared`;

/** Rows of dirty marks, each of one bucket. */
export interface MarkBatch {
  readonly ids: readonly number[];
  /** When the oldest mark of each document was made. */
  readonly since: ReadonlyMap<SubjectRef, Date>;
}

/**
 * Projects marked documents of the buckets and clears their marks, in one transaction. It locks a bucket before it
 * reads any row, so the later of two projectors reads the newer rows; a mark made meanwhile has a newer id and stays. A
 * document is projected once for all its marks, so a backlog costs less per mark. A crash undoes documents and marks
 * together.
 *
 * A version whose bucket another projector holds is left out, unless it is the first; then the bucket is left out. So is
 * a bucket of the live version while another version, which is left out, is about to replace it.
 */
export async function projectBatch(
  pool: Pool,
  { projection, versions, buckets }: Batch,
  registry: SourceRegistry,
): Promise<BatchResult> {
  return documentTransaction(pool, async (client) => {
    const locked = await lockBuckets(client, versions, buckets);
    if (locked.length === 0) return null;
    await client.query({
      name: 'lock-delivery',
      text: 'select pg_advisory_xact_lock_shared($1)',
      values: [LOCKS.delivery],
    });
    let counts: BatchCounts = { marks: 0, since: null, ...NO_WRITES };
    for (const lockedBatch of locked) {
      const done = await projectLocked(client, { projection, ...lockedBatch }, registry);
      counts = {
        ...addResults(counts, done),
        marks: counts.marks + done.marks,
        since: earlier(counts.since, done.since),
      };
    }
    return counts;
  });
}

async function projectLocked(
  client: ClientBase,
  { projection, versions, buckets }: Batch,
  registry: SourceRegistry,
): Promise<BatchCounts> {
  const marks = await readMarks(client, { versions, buckets, limits: BATCH_LIMITS });
  if (marks.ids.length === 0) return { marks: 0, since: null, ...NO_WRITES };
  // Cleared before any row is read: a mark made from then on may be about newer rows.
  const cleared = await clearMarks(client, { versions, buckets, ids: marks.ids });
  const isLocked = new Set(buckets);
  const { written, dependents } = await projectKeys(client, {
    projection,
    versions,
    keys: marks.since.keys(),
    registry,
    isLocked: (key) => isLocked.has(bucketOf(key)),
  });
  // A dependent has waited as long as the documents it depends on, not as long as the whole batch.
  const sinceOf = (dependent: SubjectRef): Date | null =>
    oldest((dependents.get(dependent) ?? []).map((key) => marks.since.get(key) ?? null));
  await markDirty(client, [{ versions, keys: new Set(dependents.keys()) }], sinceOf);
  return { ...written, marks: cleared, since: oldest(marks.since.values()) };
}

const oldest = (dates: Iterable<Date | null>): Date | null => [...dates].reduce(earlier, null);

/** Locks buckets until the transaction ends, in all the versions or in the first alone. */
async function lockBuckets(
  client: ClientBase,
  versions: VersionGroup,
  buckets: readonly number[],
): Promise<Omit<Batch, 'projection'>[]> {
  const pairs = versions.flatMap(({ id }) => buckets.map((bucket) => ({ id, bucket })));
  const { rows } = await client.query<{ version: number; bucket: number }>({
    name: 'lock-buckets',
    text: `select version, bucket from unnest($1::int4[], $2::int2[]) pair (version, bucket)
           where pg_try_advisory_xact_lock($3, version * ${BUCKETS} + bucket)`,
    values: [
      int4Array(pairs.map(({ id }) => id)),
      int2Array(pairs.map(({ bucket }) => bucket)),
      LOCKS.bucket,
    ],
  });
  const [first] = versions;
  const held = Map.groupBy(rows, ({ bucket }) => bucket);
  const inAll = buckets.filter((bucket) => held.get(bucket)?.length === versions.length);
  const inFirst = buckets.filter((bucket) => {
    const own = held.get(bucket) ?? [];
    return own.length < versions.length && own.some(({ version }) => version === first.id);
  });
  const locked: Omit<Batch, 'projection'>[] = [
    { versions, buckets: inAll },
    { versions: [first], buckets: inFirst },
  ];
  return locked.filter((one) => one.buckets.length > 0);
}

/** Reads the oldest marks of the first version, in buckets that the caller's transaction has locked. */
export async function readMarks(
  client: ClientBase,
  { versions, buckets, limits }: Pick<Batch, 'versions' | 'buckets'> & { limits: typeof BATCH_LIMITS },
): Promise<MarkBatch> {
  const { rows } = await client.query<{ id: string; keys: SubjectRef[]; marked_at: Date }>({
    name: 'marks-of-buckets',
    text: OLDEST_MARKS,
    values: [versions[0].id, int2Array(buckets), limits.rows, int4Array(versions.map(({ id }) => id))],
  });
  const ids: number[] = [];
  const since = new Map<SubjectRef, Date>();
  for (const row of rows) {
    if (since.size >= limits.documents) break;
    ids.push(Number(row.id));
    for (const key of row.keys) {
      const first = since.get(key);
      if (first === undefined || row.marked_at < first) since.set(key, row.marked_at);
    }
  }
  return { ids, since };
}

/** Returns how many marks were cleared. */
export async function clearMarks(
  client: ClientBase,
  {
    versions,
    buckets,
    ids,
  }: { versions: readonly Version[]; buckets: readonly number[]; ids: readonly number[] },
): Promise<number> {
  const { rows } = await client.query<{ marks: number }>({
    name: 'clear-marks',
    text: CLEAR_MARKS,
    values: [int4Array(versions.map(({ id }) => id)), int2Array(buckets), int8Array(ids)],
  });
  return rows[0]?.marks ?? 0;
}
