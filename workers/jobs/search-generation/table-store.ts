import { setImmediate as yieldToEvents } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { int4Bytes } from '../../../db/binary-values.ts';
import { copyRows } from '../../../db/copy-binary.ts';
import { subjectRef } from '../../../projections/engine/projection.ts';
import { documentId } from '../../../projections/engine/store/document-id.ts';
import { documentTable, type Version } from '../../../projections/engine/store/version.ts';
import { FORMAT, rowTable } from '../../../projections/models/search/generation.ts';
import {
  createIndexer,
  type Indexer,
  type SegmentIndex,
} from '../../../projections/models/search/indexer.ts';
import type { GenerationStore } from './generation-store.ts';
import { createTables, finishTables, writeIndex } from './write-generation.ts';

/** Generations as posting lists in tables. API processes open the newest one and add changes to it in memory. */
export const tableStore: GenerationStore = {
  format: FORMAT,
  takesChanges: false,
  prepare: createTables,
  async write(client, { id, version, documents, signal }) {
    const indexer = createIndexer();
    for await (const some of documents) for (const document of some) indexer.add(document);
    const index = await finishInSteps(indexer);
    signal?.throwIfAborted();
    await writeRows(client, { id, version, ids: index.columns.ids });
    return {
      documents: index.columns.ids.length,
      exactBits: index.exactBits,
      async finish() {
        await writeIndex(client, id, { index, signal });
        await finishTables(client, id);
      },
    };
  },
  async serve() {},
  holds: async () => true,
  async keepOnly() {},
};

/** Yields between the steps, so that the process keeps handling events. */
async function finishInSteps(indexer: Indexer): Promise<SegmentIndex> {
  const steps = indexer.steps();
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await yieldToEvents();
  }
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
