import type { Pool } from 'pg';
import { connect } from '../../../db/connect.ts';
import { copyRows } from '../../../db/copy-binary.ts';
import { transaction } from '../../../db/transaction.ts';
import { type Registry, registerSources } from '../../../projections/engine/registry.ts';
import { type KeyState, upsertMirror } from '../../../workers/ingest/apply/mirror.ts';
import { generateEvents } from '../data/events.ts';
import { MIRROR_COLUMNS } from '../data/mirror-row.ts';
import { copyValues, readyBatches } from '../data/ready-rows.ts';
import { handleJobs } from './handle-jobs.ts';

/** What the ready rows of generated events are written by. */
export interface ReadyRowsJob {
  readonly url: string;
  readonly how: 'upsert' | 'copy';
  readonly seed: number;
  readonly events: number;
}

let batches: KeyState[][] | null = null;

handleJobs<ReadyRowsJob, number>(async ({ url, how, seed, events }) => {
  batches ??= readyBatches(generateEvents(seed, events));
  const rows = batches.reduce((sum, batch) => sum + batch.length, 0);
  const pool = connect(url, 'bench ready rows', { max: 1 });
  try {
    const registry = await registerSources(pool);
    const ms = how === 'upsert' ? await upsert(pool, registry, batches) : await copy(pool, registry, batches);
    return rows / (ms / 1_000);
  } finally {
    await pool.end();
  }
});

/** The statement of the mirror and nothing else: no position, no marks, no decoding. */
async function upsert(pool: Pool, registry: Registry, ready: readonly KeyState[][]): Promise<number> {
  const client = await pool.connect();
  const start = performance.now();
  try {
    for (const batch of ready) await upsertMirror(client, batch, registry);
  } finally {
    client.release();
  }
  return performance.now() - start;
}

async function copy(pool: Pool, registry: Registry, ready: readonly KeyState[][]): Promise<number> {
  await pool.query(
    'drop table if exists bench_ready; create table bench_ready (like ingest.mirror including defaults)',
  );
  const start = performance.now();
  await transaction(pool, async (client) => {
    for (const batch of ready) {
      await copyRows(
        client,
        `bench_ready ${MIRROR_COLUMNS}`,
        batch.map((settled) => copyValues(settled, registry)),
      );
    }
  });
  return performance.now() - start;
}
