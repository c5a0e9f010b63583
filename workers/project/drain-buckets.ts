import type { ClientBase, Pool } from 'pg';
import { int2Array, int4Array, int8Array } from '../../db/arrays.ts';
import { LOCKS } from '../../db/locks.ts';
import { documentTransaction } from '../../db/transaction.ts';
import type { Projection, SourceRegistry } from '../../projections/projection.ts';
import type { SubjectRef } from '../../projections/rows.ts';
import { BUCKETS, bucketOf, earlier, markDirty } from '../../projections/store/mark.ts';
import type { Version, VersionFamily } from '../../projections/store/version.ts';
import { addWritten, NOTHING_WRITTEN, type Written } from '../../projections/store/write-documents.ts';
import { projectKeys } from './project-keys.ts';

/** What one pass over buckets did; `busy` where another projector holds them all. */
export type Drained = { readonly busy: true } | DrainedMarks;

interface DrainedMarks extends Written {
  readonly busy: false;
  readonly marks: number;
  /** When the first of the marks was made; null without any. */
  readonly since: Date | null;
}

/** None of a version that is about to be dropped. */
const OLDEST_MARKS = `
  select id, keys, marked_at from projection.mark
  where version = $1 and bucket = any($2::int2[])
    and exists (select from projection.version known where known.id = mark.version and known.state <> 'retired')
  order by id limit $3`;

const MARKS_BESIDE = `
  select id, keys, marked_at from projection.mark
  where version = any($1::int4[]) and bucket = any($2::int2[]) and id between $3 and $4
  order by id limit $5`;
/** What is marked in several versions at once has ids no farther apart, but where many mark at the same time. */
export const BESIDE = 64;

export interface Take {
  /** Rows of marks that are read at most. */
  readonly rows: number;
  /** Documents after which no further row is taken. */
  readonly documents: number;
}

/** Rows of marks, each of one bucket. */
export interface TakenMarks {
  /** In ascending order. */
  readonly ids: readonly number[];
  /** How many marks the rows hold, of one document perhaps many. */
  readonly marks: number;
  /** When the first mark of each document was made. */
  readonly since: ReadonlyMap<SubjectRef, Date>;
}

interface MarkRow {
  readonly id: string;
  readonly keys: SubjectRef[];
  readonly marked_at: Date;
}

/**
 * Projects marked documents of the buckets and clears their marks, in one transaction. A bucket is locked before
 * anything is read, so of two projectors the later one reads the newer rows; a mark made meanwhile has an id of its
 * own and stays. A document is projected once for all the marks that are taken, so the more they have piled up, the
 * less each costs. Buckets that another projector holds are left to it. A pass that a crash undoes has its marks undone
 * with it.
 *
 * @param buckets of which those without marks serve for what the marked documents touch
 * @param versions what is marked in the first is projected once for all, and is marked in the others no longer; it does
 *   not wait for these, where somebody holds a bucket of theirs alone
 */
export async function drainBuckets(
  pool: Pool,
  projection: Projection,
  versions: VersionFamily,
  buckets: readonly number[],
  registry: SourceRegistry,
  take: Take,
): Promise<Drained> {
  return documentTransaction(pool, async (client) => {
    const locked = await lockBuckets(client, versions, buckets);
    if (locked.length === 0) return { busy: true };
    await client.query({
      name: 'lock-delivery',
      text: 'select pg_advisory_xact_lock_shared($1)',
      values: [LOCKS.delivery],
    });
    let drained: DrainedMarks = { busy: false, marks: 0, since: null, ...NOTHING_WRITTEN };
    for (const { versions: own, buckets: held } of locked) {
      const [first, ...others] = own;
      const marks = await takeMarks(client, first, held, take);
      if (marks.marks === 0) continue;
      // Before any row is read: what is marked from then on may be about newer rows.
      const beside = await takeBeside(client, others, held, marks, take);
      const isOurs = new Set(held);
      const { written, touches } = await projectKeys(client, projection, own, marks.since.keys(), registry, {
        isHeld: (key) => isOurs.has(bucketOf(key)),
      });
      // Each has waited for as long as what touches it, not as long as the oldest of all that are projected with that.
      const sinceOf = (touched: SubjectRef): Date | null =>
        firstOf((touches.get(touched) ?? []).map((key) => marks.since.get(key) ?? null));
      await markDirty(client, [{ versions: own, keys: new Set(touches.keys()) }], sinceOf);
      await clearMarks(client, own, held, [...marks.ids, ...beside.ids]);
      drained = addUp(drained, { ...marks, marks: marks.marks + beside.marks }, written);
    }
    return drained;
  });
}

const addUp = (drained: DrainedMarks, { marks, since }: TakenMarks, written: Written): DrainedMarks => ({
  ...addWritten(drained, written),
  busy: false,
  marks: drained.marks + marks,
  since: earlier(drained.since, firstOf(since.values())),
});

const firstOf = (dates: Iterable<Date | null>): Date | null => [...dates].reduce(earlier, null);

interface LockedBuckets {
  readonly versions: VersionFamily;
  readonly buckets: readonly number[];
}

/** The buckets that are ours until the transaction ends: in all the versions, or in the first alone. */
async function lockBuckets(
  client: ClientBase,
  versions: VersionFamily,
  buckets: readonly number[],
): Promise<LockedBuckets[]> {
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
  const locked: LockedBuckets[] = [
    { versions, buckets: inAll },
    { versions: [first], buckets: inFirst },
  ];
  return locked.filter((one) => one.buckets.length > 0);
}

/** Reads the oldest marks of buckets that the caller's transaction has locked. */
export async function takeMarks(
  client: ClientBase,
  version: Version,
  buckets: readonly number[],
  take: Take,
): Promise<TakenMarks> {
  const { rows } = await client.query<MarkRow>({
    name: 'marks-of-buckets',
    text: OLDEST_MARKS,
    values: [version.id, int2Array(buckets), take.rows],
  });
  const ids: number[] = [];
  const since = new Map<SubjectRef, Date>();
  let marks = 0;
  for (const row of rows) {
    if (since.size >= take.documents) break;
    ids.push(Number(row.id));
    for (const key of row.keys) {
      const first = since.get(key);
      if (first === undefined || row.marked_at < first) since.set(key, row.marked_at);
    }
    marks += row.keys.length;
  }
  return { ids, marks, since };
}

/** Reads what was marked in other versions together with what was taken of the first, and nothing that was not. */
async function takeBeside(
  client: ClientBase,
  versions: readonly Version[],
  buckets: readonly number[],
  { ids, since }: TakenMarks,
  take: Take,
): Promise<Pick<TakenMarks, 'ids' | 'marks'>> {
  if (versions.length === 0) return { ids: [], marks: 0 };
  const { rows } = await client.query<MarkRow>({
    name: 'marks-beside',
    text: MARKS_BESIDE,
    values: [
      int4Array(versions.map(({ id }) => id)),
      int2Array(buckets),
      (ids.at(0) ?? 0) - BESIDE,
      (ids.at(-1) ?? 0) + BESIDE,
      take.rows * versions.length,
    ],
  });
  const taken = rows.filter(({ keys }) => keys.every((key) => since.has(key)));
  return {
    ids: taken.map(({ id }) => Number(id)),
    marks: taken.reduce((marks, { keys }) => marks + keys.length, 0),
  };
}

export async function clearMarks(
  client: ClientBase,
  versions: readonly Version[],
  buckets: readonly number[],
  ids: readonly number[],
): Promise<void> {
  await client.query({
    name: 'clear-marks',
    text: `delete from projection.mark
           where version = any($1::int4[]) and bucket = any($2::int2[]) and id = any($3::int8[])`,
    values: [int4Array(versions.map(({ id }) => id)), int2Array(buckets), int8Array(ids)],
  });
}
