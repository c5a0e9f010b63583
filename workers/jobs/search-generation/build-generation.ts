import type { PoolClient } from 'pg';
import { documentTable, liveVersion, type Version } from '../../../projections/engine/store/version.ts';
import type { SearchDocument } from '../../../projections/models/search/document.ts';
import type { GenerationStore, WrittenGeneration } from './generation-store.ts';

export interface BuildGenerationOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: (done: number, total: number) => void;
}

export interface BuiltGeneration {
  readonly id: number;
  readonly version: number;
  readonly documents: number;
}

/** Documents of one fetch. */
const FETCH_SIZE = 2_000;

/**
 * Builds a generation of the live documents and publishes it. API processes switch to it on their own.
 *
 * @param client holds the lock of generations, outside a transaction
 * @returns null if no version of the search projection is live
 */
export async function buildGeneration(
  client: PoolClient,
  store: GenerationStore,
  options: BuildGenerationOptions = {},
): Promise<BuiltGeneration | null> {
  const version = await liveVersion(client, 'search');
  if (version === null) return null;
  const id = await begin(client, version, store);
  await store.prepare(client, id);
  const { written, snapshot } = await write(client, store, { ...options, id, version });
  await written.finish();
  await publish(client, store, { id, snapshot, written });
  await store.serve(client, id);
  return { id, version: version.id, documents: written.documents };
}

async function begin(client: PoolClient, version: Version, { format }: GenerationStore): Promise<number> {
  const { rows } = await client.query<{ id: number }>(
    'insert into search.generation (version, format) values ($1, $2) returning id',
    [version.id, format],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('the generation was not recorded');
  return row.id;
}

interface Snapshot {
  readonly text: string;
  readonly takenAt: Date;
}

interface Build extends BuildGenerationOptions {
  readonly id: number;
  readonly version: Version;
}

/** Indexes every document in one snapshot of the database. */
async function write(
  client: PoolClient,
  store: GenerationStore,
  { id, version, signal, onProgress = () => {} }: Build,
): Promise<{ written: WrittenGeneration; snapshot: Snapshot }> {
  await client.query('begin isolation level repeatable read');
  try {
    const { rows } = await client.query<Snapshot & { total: number }>(
      `select pg_current_snapshot()::text as text, clock_timestamp() as "takenAt",
         (select count(*) from ${documentTable(version)})::float8 as total`,
    );
    const [snapshot] = rows;
    if (snapshot === undefined) throw new Error('the database returned no snapshot');
    const onRead = (done: number) => {
      signal?.throwIfAborted();
      onProgress(done, snapshot.total);
    };
    const documents = readDocuments(client, version, onRead);
    const written = await store.write(client, { id, version, documents, signal });
    await client.query('commit');
    return { written, snapshot };
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
}

async function* readDocuments(
  client: PoolClient,
  version: Version,
  onRead: (done: number) => void,
): AsyncGenerator<SearchDocument[]> {
  await client.query(
    `declare documents no scroll cursor for
     select convert_from(body, 'UTF8') as body from ${documentTable(version)}`,
  );
  let done = 0;
  for (;;) {
    const { rows } = await client.query<{ body: string }>(`fetch ${FETCH_SIZE} from documents`);
    if (rows.length === 0) break;
    yield rows.map(({ body }) => JSON.parse(body));
    done += rows.length;
    onRead(done);
  }
  await client.query('close documents');
}

/** Retires earlier generations, which stay for the processes that read them. Those of other formats stay for a day. */
async function publish(
  client: PoolClient,
  { format, takesChanges }: GenerationStore,
  {
    id,
    snapshot,
    written: { documents, exactBits },
  }: { readonly id: number; readonly snapshot: Snapshot; readonly written: WrittenGeneration },
): Promise<void> {
  await client.query(
    `with ready as (
       update search.generation
       set state = 'ready', snapshot = $2::pg_snapshot, taken_at = $3, documents = $4, exact_bits = $5, ready_at = now(),
         applied_snapshot = case when $7 then $2::pg_snapshot end,
         applied_at = case when $7 then $3::timestamptz end,
         applied_change = case when $7 then 0 end
       where id = $1
     )
     update search.generation set state = 'retired', retired_at = now()
     where state = 'ready' and id <> $1 and (format = $6 or ready_at < now() - interval '1 day')`,
    [id, snapshot.text, snapshot.takenAt, documents, exactBits, format, takesChanges],
  );
}
