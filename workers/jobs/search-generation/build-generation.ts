import { setImmediate as turn } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { int4Bytes } from '../../../db/binary-values.ts';
import { copyRows } from '../../../db/copy-binary.ts';
import { subjectRef } from '../../../projections/projection.ts';
import type { SearchDocument } from '../../../projections/search/document.ts';
import { FORMAT, rowTable } from '../../../projections/search/generation.ts';
import { createIndexer, type Indexer, type SegmentIndex } from '../../../projections/search/indexer.ts';
import { documentId } from '../../../projections/store/document-id.ts';
import { documentTable, liveVersion, type Version } from '../../../projections/store/version.ts';
import { createTables, finishTables, writeIndex } from './write-generation.ts';

export interface BuildGenerationOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: (done: number, total: number) => void;
}

/** A generation that was built. */
export interface BuiltGeneration {
  readonly id: number;
  readonly version: number;
  readonly documents: number;
}

/** Documents that are read at a time. */
const READ = 2_000;

/**
 * Builds a generation of the documents that are served now, and puts it in the place of the one before. Whoever searches
 * takes it up by itself.
 *
 * @param client that holds the lock of generations, and is in no transaction
 * @returns null where no version of the search projection is served
 */
export async function buildGeneration(
  client: PoolClient,
  options: BuildGenerationOptions = {},
): Promise<BuiltGeneration | null> {
  const version = await liveVersion(client, 'search');
  if (version === null) return null;
  const id = await begin(client, version);
  await createTables(client, id);
  const { index, snapshot } = await readAndWriteRows(client, id, version, options);
  await writeIndex(client, id, index, options.signal);
  await finishTables(client, id);
  const documents = index.columns.ids.length;
  await putInPlace(client, id, { snapshot, documents, exactBits: index.exactBits });
  return { id, version: version.id, documents };
}

async function begin(client: PoolClient, version: Version): Promise<number> {
  const { rows } = await client.query<{ id: number }>(
    'insert into search.generation (version, format) values ($1, $2) returning id',
    [version.id, FORMAT],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('the generation was not noted');
  return row.id;
}

interface Snapshot {
  readonly text: string;
  readonly takenAt: Date;
}

/** Reads every document and copies it to its rank, all as of one moment. */
async function readAndWriteRows(
  client: PoolClient,
  id: number,
  version: Version,
  { signal, onProgress = () => {} }: BuildGenerationOptions,
): Promise<{ index: SegmentIndex; snapshot: Snapshot }> {
  await client.query('begin isolation level repeatable read');
  try {
    const { rows } = await client.query<Snapshot & { total: number }>(
      `select pg_current_snapshot()::text as text, clock_timestamp() as "takenAt",
         (select count(*) from ${documentTable(version)})::float8 as total`,
    );
    const [snapshot] = rows;
    if (snapshot === undefined) throw new Error('the database told no snapshot');
    const indexer = createIndexer();
    let done = 0;
    for await (const documents of readDocuments(client, version)) {
      signal?.throwIfAborted();
      for (const document of documents) indexer.add(document);
      done += documents.length;
      onProgress(done, snapshot.total);
    }
    const index = await finishByTurns(indexer);
    signal?.throwIfAborted();
    await writeRows(client, id, version, index);
    await client.query('commit');
    return { index, snapshot };
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
}

/** The process that builds has to be heard of meanwhile. */
async function finishByTurns(indexer: Indexer): Promise<SegmentIndex> {
  const steps = indexer.steps();
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await turn();
  }
}

async function* readDocuments(client: PoolClient, version: Version): AsyncGenerator<SearchDocument[]> {
  await client.query(
    `declare documents no scroll cursor for
     select convert_from(body, 'UTF8') as body from ${documentTable(version)}`,
  );
  for (;;) {
    const { rows } = await client.query<{ body: string }>(`fetch ${READ} from documents`);
    if (rows.length === 0) break;
    yield rows.map(({ body }) => JSON.parse(body));
  }
  await client.query('close documents');
}

/** The database itself joins bodies and ranks, so that no body goes to and fro. */
async function writeRows(
  client: PoolClient,
  id: number,
  version: Version,
  index: SegmentIndex,
): Promise<void> {
  const { ids } = index.columns;
  await client.query(`set local work_mem = '256MB'`);
  await client.query('create temporary table rank_of (id uuid, rank integer) on commit drop');
  await copyRows(client, 'rank_of (id, rank)', ranked(ids));
  await client.query('analyze rank_of');
  // Popular ones side by side, so that what is read most often takes few pages.
  await client.query(`
    insert into ${rowTable(id)} (rank, body)
    select rank, body from ${documentTable(version)} document join rank_of using (id) order by rank`);
}

function* ranked(ids: Float64Array): Iterable<[Buffer, Buffer]> {
  for (let rank = 0; rank < ids.length; rank++)
    yield [documentId(subjectRef('master', ids[rank] ?? 0)), int4Bytes(rank)];
}

/** Those before it are kept for a while, for who still reads them; those of other code, for who still runs it. */
async function putInPlace(
  client: PoolClient,
  id: number,
  { snapshot, documents, exactBits }: { snapshot: Snapshot; documents: number; exactBits: number },
): Promise<void> {
  await client.query(
    `with ready as (
       update search.generation
       set state = 'ready', snapshot = $2::pg_snapshot, taken_at = $3, documents = $4, exact_bits = $5, ready_at = now()
       where id = $1
     )
     update search.generation set state = 'retired', retired_at = now()
     where state = 'ready' and id <> $1 and (format = $6 or ready_at < now() - interval '1 day')`,
    [id, snapshot.text, snapshot.takenAt, documents, exactBits, FORMAT],
  );
}
