import type { ClientBase, Pool } from 'pg';
import { int2Array, int4Array, textArray } from '../../../db/arrays.ts';
import { transaction } from '../../../db/transaction.ts';
import type { SourceRegistry } from '../projection.ts';
import { viewMirror } from './mirror-view.ts';
import type { IndexEntry, PublishedIndex } from './published-index.ts';

/** Kept snapshots per index, the live one included. */
const KEPT = 8;
const ENTRIES_PER_STATEMENT = 2_000;

/** Default: today in UTC, by the clock of the database, which also dates the publication. */
const DAY_OF_SNAPSHOT = `coalesce($2::date, (now() at time zone 'UTC')::date)`;

export interface PublishResult {
  /** The day of the live snapshot. */
  readonly day: string;
  readonly entries: number;
  /** False if the live snapshot has the same inputs already. */
  readonly published: boolean;
}

interface PublishOptions {
  /** YYYY-MM-DD. */
  readonly day: string;
  readonly signal: AbortSignal;
}

/**
 * Computes an index and makes it live, unless the live snapshot has the same rows and the same day: an unchanged index is
 * published again each day. Run one at a time per index.
 */
export async function publishIndex(
  pool: Pool,
  registry: SourceRegistry,
  index: PublishedIndex,
  { day, signal }: PublishOptions,
): Promise<PublishResult> {
  const inputs = await inputsOf(pool, registry, index);
  const served = inputs === null ? null : await liveDay(pool, index, { day, inputs });
  if (served !== null) return { day: served, entries: 0, published: false };
  const entries = await viewMirror(pool, registry, {
    signal,
    work: (mirror) => index.compute(mirror, day),
  });
  signal.throwIfAborted();
  const published = await publish(pool, { index: index.name, day: dayOf(index, day), inputs, entries });
  return { day: published, entries: entries.length, published: true };
}

/** Whether the live snapshot is of the day, or of today if the index has no day. */
export const isPublished = async (pool: Pool, index: PublishedIndex, day: string): Promise<boolean> =>
  (await liveDay(pool, index, { day, inputs: null })) !== null;

/** Null for today by the clock of the database. */
const dayOf = ({ isDated }: PublishedIndex, day: string): string | null => (isDated ? day : null);

/**
 * The version of the index, and what identifies the rows: every change of a row changes that of the row. Taken before
 * the rows are read, so that what changes in between is found by the next run.
 */
async function inputsOf(
  pool: Pool,
  registry: SourceRegistry,
  { decidedBy, version }: PublishedIndex,
): Promise<string | null> {
  if (decidedBy === null) return null;
  const { rows } = await pool.query<{ digest: string }>(
    `select concat_ws(' ', count(*), sum(hashtextextended(key || ' ' || version, source))) as digest
     from ingest.mirror where source = any($1::int2[]) and row is not null`,
    [int2Array(decidedBy.map((source) => registry.idOf(source)))],
  );
  return `${version} ${rows[0]?.digest}`;
}

/** The day of the live snapshot if it has this day and these inputs, else null. @param inputs null for any */
async function liveDay(
  pool: Pool,
  index: PublishedIndex,
  { day, inputs }: { readonly day: string; readonly inputs: string | null },
): Promise<string | null> {
  const { rows } = await pool.query<{ day: string }>(
    `select day::text from published.live join published.snapshot on id = snapshot
     where live.index = $1 and day = ${DAY_OF_SNAPSHOT} and ($3::text is null or inputs = $3)`,
    [index.name, dayOf(index, day), inputs],
  );
  return rows[0]?.day ?? null;
}

interface Snapshot {
  readonly index: string;
  readonly day: string | null;
  readonly inputs: string | null;
  readonly entries: readonly IndexEntry[];
}

/**
 * Publishes all entries together: the pointer moves in the transaction that wrote them.
 *
 * @returns the day of the snapshot
 */
async function publish(pool: Pool, { index, day, inputs, entries }: Snapshot): Promise<string> {
  return transaction(pool, async (client) => {
    const { rows } = await client.query<{ id: number; day: string }>(
      `insert into published.snapshot (index, day, inputs) values ($1, ${DAY_OF_SNAPSHOT}, $3)
       returning id, day::text`,
      [index, day, inputs],
    );
    const [snapshot] = rows;
    if (snapshot === undefined) throw new Error(`no snapshot of ${index} was written`);
    await writeEntries(client, snapshot.id, entries);
    await client.query(
      `insert into published.live (index, snapshot) values ($1, $2)
       on conflict (index) do update set snapshot = excluded.snapshot`,
      [index, snapshot.id],
    );
    await client.query(
      `with outdated as (
         delete from published.snapshot where index = $1 and id <= (
           select id from published.snapshot where index = $1 order by id desc offset ${KEPT} limit 1)
         returning id
       )
       delete from published.entry where snapshot in (select id from outdated)`,
      [index],
    );
    return snapshot.day;
  });
}

async function writeEntries(
  client: ClientBase,
  snapshot: number,
  entries: readonly IndexEntry[],
): Promise<void> {
  for (let from = 0; from < entries.length; from += ENTRIES_PER_STATEMENT) {
    const chunk = entries.slice(from, from + ENTRIES_PER_STATEMENT);
    await client.query({
      name: 'publish-entries',
      text: `insert into published.entry (snapshot, list, place, key, body)
             select $1, list, place, key, body::json
             from unnest($2::text[], $3::int4[], $4::text[], $5::text[]) written (list, place, key, body)`,
      values: [
        snapshot,
        textArray(chunk.map(({ list }) => list)),
        int4Array(chunk.map((_entry, index) => from + index + 1)),
        textArray(chunk.map(({ key }) => key)),
        textArray(chunk.map(({ body }) => JSON.stringify(body))),
      ],
    });
  }
}
