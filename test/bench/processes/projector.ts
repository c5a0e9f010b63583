import type { Pool } from 'pg';
import { connect } from '../../../db/connect.ts';
import { copyRows } from '../../../db/copy-binary.ts';
import { documentTransaction } from '../../../db/transaction.ts';
import type { ProjectedDocument, ReadRows } from '../../../projections/engine/projection.ts';
import { mirrorReader } from '../../../projections/engine/read-rows.ts';
import { type Registry, registerSources } from '../../../projections/engine/registry.ts';
import type { SubjectRef } from '../../../projections/engine/rows.ts';
import { artistProjection } from '../../../projections/models/artist/project.ts';
import { drain } from '../../../workers/project/drain.ts';
import { rebuild } from '../../support/projections/rebuild.ts';
import { handleJobs } from './handle-jobs.ts';

export type ProjectorJob = { readonly url: string } & (
  | { readonly kind: 'rebuild' | 'drain' }
  | { readonly kind: 'parts'; readonly keys: readonly SubjectRef[] }
);

/** Milliseconds that each part of projecting takes; for a rebuild and a drain the whole alone. */
export interface ProjectorTimes {
  readonly whole: number;
  readonly documents: number;
  readonly read: number;
  readonly build: number;
  readonly compress: number;
  readonly write: number;
}

const NO_PARTS = { read: 0, build: 0, compress: 0, write: 0 };
/** As many documents at a time as a rebuild takes. */
const RANGE = 500;

handleJobs<ProjectorJob, ProjectorTimes>(async (job) => {
  const pool = connect(job.url, 'bench projector', { max: 4 });
  try {
    const registry = await registerSources(pool);
    if (job.kind === 'parts') return await projectByParts(pool, registry, job.keys);
    const start = performance.now();
    const documents =
      job.kind === 'rebuild' ? await rebuildAll(pool, registry) : await drainAll(pool, registry);
    return { ...NO_PARTS, documents, whole: performance.now() - start };
  } finally {
    await pool.end();
  }
});

async function rebuildAll(pool: Pool, registry: Registry): Promise<number> {
  let built = 0;
  await rebuild(pool, artistProjection, registry, {
    onProgress: ({ done }) => {
      built = done;
    },
  });
  return built;
}

async function drainAll(pool: Pool, registry: Registry): Promise<number> {
  const { changed } = await drain(pool, registry);
  return changed;
}

/** One part after the other, so that none waits for another: their sum is what one connection would take. */
async function projectByParts(
  pool: Pool,
  registry: Registry,
  keys: readonly SubjectRef[],
): Promise<ProjectorTimes> {
  const times = { ...NO_PARTS };
  const timed = async <T>(part: keyof typeof times, work: () => Promise<T>): Promise<T> => {
    const start = performance.now();
    const result = await work();
    times[part] += performance.now() - start;
    return result;
  };
  await pool.query(
    'create unlogged table bench_documents (key text collate "C" primary key, hash bytea, body bytea)',
  );
  for (let start = 0; start < keys.length; start += RANGE) {
    await documentTransaction(pool, async (client) => {
      const reader = mirrorReader(client, registry);
      const readRows: ReadRows = (reads, subjects) => timed('read', () => reader(reads, subjects));
      const readBefore = times.read;
      const projected = await timed('build', () =>
        artistProjection.project(keys.slice(start, start + RANGE), readRows, registry),
      );
      times.build -= times.read - readBefore;
      const rows = await timed('compress', async () => projected.map(documentRow));
      await timed('write', () => copyRows(client, 'bench_documents (key, hash, body)', rows));
    });
  }
  await pool.query('drop table bench_documents');
  const whole = times.read + times.build + times.compress + times.write;
  return { ...times, documents: keys.length, whole };
}

function documentRow({ key, document }: ProjectedDocument): [string, Buffer, Buffer] {
  if (document === null) throw new Error(`nothing is known of ${key}`);
  return [key, document.hash, document.body()];
}
