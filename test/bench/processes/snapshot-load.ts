import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import type { Pool } from 'pg';
import { connect } from '../../../db/connect.ts';
import { type CopyValue, copyRows } from '../../../db/copy-binary.ts';
import { transaction } from '../../../db/transaction.ts';
import type { Source } from '../../../projections/contracts/contract.ts';
import { sourceByTable } from '../../../projections/contracts/index.ts';
import { type Registry, registerSources } from '../../../projections/engine/registry.ts';
import { loadSnapshot } from '../../../workers/ingest/snapshots/load-snapshot.ts';
import { MIRROR_COLUMNS, mirrorCopy } from '../data/mirror-row.ts';
import { handleJobs } from './handle-jobs.ts';

/** A snapshot file to be loaded, or its rows to be copied as they come to stand in the mirror. */
export interface SnapshotJob {
  readonly url: string;
  readonly how: 'load' | 'copy' | 'copy-indexed';
  readonly path: string;
  readonly table: string;
}

const BARE_TABLE = 'bench_ready';
let ready: (readonly CopyValue[])[] | null = null;

handleJobs<SnapshotJob, number>(async ({ url, how, path, table }) => {
  const source = sourceByTable.get(table);
  if (source === undefined) throw new Error(`no source is named ${table}`);
  const pool = connect(url, 'bench snapshot', { max: 2 });
  try {
    const registry = await registerSources(pool);
    if (how === 'load') return await load(pool, registry, { path, source });
    ready ??= await readRows(path, source, registry);
    return await copy(pool, how === 'copy' ? BARE_TABLE : 'ingest.mirror', ready);
  } finally {
    await pool.end();
  }
});

async function load(pool: Pool, registry: Registry, file: { path: string; source: Source }): Promise<number> {
  const start = performance.now();
  const { rows, deadLetters } = await loadSnapshot(pool, registry, file, { timeMs: Date.now() });
  if (deadLetters > 0) throw new Error(`${deadLetters} lines broke their contract`);
  return rows / ((performance.now() - start) / 1_000);
}

async function readRows(path: string, source: Source, registry: Registry): Promise<(readonly CopyValue[])[]> {
  const rows: (readonly CopyValue[])[] = [];
  for await (const line of createInterface({ input: createReadStream(path).pipe(createGunzip()) })) {
    rows.push(mirrorCopy({ source, row: JSON.parse(line) }, registry).mirror);
  }
  return rows;
}

async function copy(pool: Pool, table: string, rows: readonly (readonly CopyValue[])[]): Promise<number> {
  await pool.query(
    `drop table if exists ${BARE_TABLE}; create table ${BARE_TABLE} (like ingest.mirror including defaults)`,
  );
  const start = performance.now();
  await transaction(pool, (client) => copyRows(client, `${table} ${MIRROR_COLUMNS}`, rows));
  return rows.length / ((performance.now() - start) / 1_000);
}
