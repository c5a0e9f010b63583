import { setImmediate as yieldToEvents } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { int4Bytes } from '../../../db/binary-values.ts';
import { copyRows } from '../../../db/copy-binary.ts';
import { subjectRef } from '../../../projections/engine/projection.ts';
import { documentId } from '../../../projections/engine/store/document-id.ts';
import { documentTable, liveVersion, type Version } from '../../../projections/engine/store/version.ts';
import type { SearchDocument } from '../../../projections/models/search/document.ts';
import { FORMAT, rowTable } from '../../../projections/models/search/generation.ts';
import {
  createIndexer,
  type Indexer,
  type SegmentIndex,
} from '../../../projections/models/search/indexer.ts';
import { createTables, finishTables, writeIndex } from './write-generation.ts';

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
  options: BuildGenerationOptions = {},
): Promise<BuiltGeneration | null> {
  const version = await liveVersion(client, 'search');
  if (version === null) return null;
  const id = await begin(client, version);
  await createTables(client, id);
  const { index, snapshot } = await readAndWriteRows(client, { ...options, id, version });
  await writeIndex(client, id, { index, signal: options.signal });
  await finishTables(client, id);
  const documents = index.columns.ids.length;
  await publish(client, id, { snapshot, documents, exactBits: index.exactBits });
  return { id, version: version.id, documents };
}

async function begin(client: PoolClient, version: Version): Promise<number> {
  const { rows } = await client.query<{ id: number }>(
    'insert into search.generation (version, format) values ($1, $2) returning id',
    [version.id, FORMAT],
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

/** Indexes every document and stores it by its rank, in one snapshot of the database. */
async function readAndWriteRows(
  client: PoolClient,
  { id, version, signal, onProgress = () => {} }: Build,
): Promise<{ index: SegmentIndex; snapshot: Snapshot }> {
  await client.query('begin isolation level repeatable read');
  try {
    const { rows } = await client.query<Snapshot & { total: number }>(
      `select pg_current_snapshot()::text as text, clock_timestamp() as "takenAt",
         (select count(*) from ${documentTable(version)})::float8 as total`,
    );
    const [snapshot] = rows;
    if (snapshot === undefined) throw new Error('the database returned no snapshot');
    const indexer = createIndexer();
    let done = 0;
    for await (const documents of readDocuments(client, version)) {
      signal?.throwIfAborted();
      for (const document of documents) indexer.add(document);
      done += documents.length;
      onProgress(done, snapshot.total);
    }
    const index = await finishInSteps(indexer);
    signal?.throwIfAborted();
    await writeRows(client, { id, version, ids: index.columns.ids });
    await client.query('commit');
    return { index, snapshot };
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
}

/** Yields between the steps, so that the process keeps handling events. */
async function finishInSteps(indexer: Indexer): Promise<SegmentIndex> {
  const steps = indexer.steps();
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await yieldToEvents();
  }
}

async function* readDocuments(client: PoolClient, version: Version): AsyncGenerator<SearchDocument[]> {
  await client.query(
    `declare documents no scroll cursor for
     select convert_from(body, 'UTF8') as body from ${documentTable(version)}`,
  );
  for (;;) {
    const { rows } = await client.query<{ body: string }>(`fetch ${FETCH_SIZE} from documents`);
    if (rows.length === 0) break;
    yield rows.map(({ body }) => JSON.parse(body));
  }
  await client.query('close documents');
}

/** Stores the bodies by rank. The database joins them, so that no body crosses the network. */
async function writeRows(
  client: PoolClient,
  { id, version, ids }: { id: number; version: Version; ids: Float64Array },
): Promise<void> {
  await client.query(`set local work_mem = '256MB'`);
  await client.query('create temporary table rank_of (id uuid, rank integer) on commit drop');
  await copyRows(client, 'rank_of (id, rank)', ranked(ids));
  await client.query('analyze rank_of');
  // In the order of ranks: popular documents are read most often and then share few pages.
  await client.query(`
    insert into ${rowTable(id)} (rank, body)
    select rank, body from ${documentTable(version)} document join rank_of using (id) order by rank`);
}

function* ranked(ids: Float64Array): Iterable<[Buffer, Buffer]> {
  for (let rank = 0; rank < ids.length; rank++)
    yield [documentId(subjectRef('master', ids[rank] ?? 0)), int4Bytes(rank)];
}

/** Retires earlier generations, which stay for the processes that read them. Those of other formats stay for a day. */
async function publish(
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
