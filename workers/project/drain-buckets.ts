import type { ClientBase, Pool } from 'pg';
import { int2Array, int8Array } from '../../db/arrays.ts';
import { LOCKS } from '../../db/locks.ts';
import { documentTransaction } from '../../db/transaction.ts';
import type { Projection, SourceRegistry } from '../../projections/projection.ts';
import type { SubjectRef } from '../../projections/rows.ts';
import { BUCKETS, markDirty } from '../../projections/store/mark.ts';
import type { Version } from '../../projections/store/version.ts';
import type { Written } from '../../projections/store/write-documents.ts';
import { projectKeys } from './project-keys.ts';

/** What one pass over buckets did; `busy` where another projector holds them all. */
export type Drained =
  | { readonly busy: true }
  | ({
      readonly busy: false;
      readonly marks: number;
      /** When the first of the marks was made; null without any. */
      readonly since: Date | null;
    } & Written);

const NOTHING: Written = { changed: 0, unchanged: 0, removed: 0 };

/** None of a version that is about to be dropped. */
const OLDEST_MARKS = `
  select id, keys, marked_at from projection.mark
  where version = $1 and bucket = any($2::int2[])
    and exists (select from projection.version where id = $1 and state <> 'retired')
  order by id limit $3`;

export interface Take {
  /** Rows of marks that are read at most. */
  readonly rows: number;
  /** Documents after which no further row is taken. */
  readonly documents: number;
}

/** Rows of marks, each of one bucket. */
export interface TakenMarks {
  readonly ids: readonly number[];
  /** How many marks the rows hold, of one document perhaps many. */
  readonly marks: number;
  readonly keys: ReadonlySet<SubjectRef>;
  /** When the first of them was made. */
  readonly since: Date | null;
}

/**
 * Projects marked documents of the buckets and clears their marks, in one transaction. A bucket is locked before
 * anything is read, so of two projectors the later one reads the newer rows; a mark made meanwhile has an id of its
 * own and stays. A document is projected once for all the marks that are taken, so the more they have piled up, the
 * less each costs. Buckets that another projector holds are left to it. A pass that a crash undoes has its marks undone
 * with it.
 */
export async function drainBuckets(
  pool: Pool,
  projection: Projection,
  version: Version,
  buckets: readonly number[],
  registry: SourceRegistry,
  take: Take,
): Promise<Drained> {
  return documentTransaction(pool, async (client) => {
    const { rows } = await client.query<{ bucket: number }>({
      name: 'lock-buckets',
      text: `select bucket from unnest($1::int2[]) bucket where pg_try_advisory_xact_lock($2, $3::int4 + bucket)`,
      values: [int2Array(buckets), LOCKS.bucket, version.id * BUCKETS],
    });
    if (rows.length === 0) return { busy: true };
    await client.query({
      name: 'lock-delivery',
      text: 'select pg_advisory_xact_lock_shared($1)',
      values: [LOCKS.delivery],
    });
    const locked = rows.map(({ bucket }) => bucket);
    const marks = await takeMarks(client, version, locked, take);
    if (marks.marks === 0) return { busy: false, marks: 0, since: null, ...NOTHING };
    const { written, touches } = await projectKeys(client, projection, version, marks.keys, registry);
    await markDirty(client, [{ versions: [version], keys: touches }], marks.since);
    await clearMarks(client, version, locked, marks);
    return { busy: false, marks: marks.marks, since: marks.since, ...written };
  });
}

/** Reads the oldest marks of buckets that the caller's transaction has locked. */
export async function takeMarks(
  client: ClientBase,
  version: Version,
  buckets: readonly number[],
  take: Take,
): Promise<TakenMarks> {
  const { rows } = await client.query<{ id: string; keys: SubjectRef[]; marked_at: Date }>({
    name: 'marks-of-buckets',
    text: OLDEST_MARKS,
    values: [version.id, int2Array(buckets), take.rows],
  });
  const ids: number[] = [];
  const keys = new Set<SubjectRef>();
  let marks = 0;
  let since: Date | null = null;
  for (const row of rows) {
    if (keys.size >= take.documents) break;
    ids.push(Number(row.id));
    for (const key of row.keys) keys.add(key);
    marks += row.keys.length;
    if (since === null || row.marked_at < since) since = row.marked_at;
  }
  return { ids, marks, keys, since };
}

export async function clearMarks(
  client: ClientBase,
  version: Version,
  buckets: readonly number[],
  { ids }: TakenMarks,
): Promise<void> {
  await client.query({
    name: 'clear-marks',
    text: 'delete from projection.mark where version = $1 and bucket = any($2::int2[]) and id = any($3::int8[])',
    values: [version.id, int2Array(buckets), int8Array(ids)],
  });
}
