import type { Pool } from 'pg';
import { connect } from '../../../db/connect.ts';
import { documentTransaction } from '../../../db/transaction.ts';
import { renice } from '../../../infra/runtime/renice.ts';
import { mirrorReader } from '../../../projections/engine/read-rows.ts';
import { type Registry, registerSources } from '../../../projections/engine/registry.ts';
import type { SubjectRef } from '../../../projections/engine/rows.ts';
import { versionsOf } from '../../../projections/engine/store/version.ts';
import { artistProjection } from '../../../projections/models/artist/project.ts';
import { BUILD_CONNECTIONS, buildVersion } from '../../../workers/project/build-version.ts';
import { catchUp } from '../../../workers/project/catch-up.ts';
import { drain } from '../../../workers/project/drain.ts';
import { catalogIdOf, clusterIdOf } from '../data/artist.ts';
import { handleJobs } from './handle-jobs.ts';

export type BuilderJob = { readonly url: string } & (
  | { readonly kind: 'build' }
  /** Projects dossiers of the artists numbered `first`, `first + step` and so on, and stores none. */
  | { readonly kind: 'project'; readonly artists: number; readonly first: number; readonly step: number }
  | { readonly kind: 'drain' }
  /** Works off the marks of the version that is ready. */
  | { readonly kind: 'catch-up' }
);

const RANGE = 500;

// As the commands and jobs do that rebuild.
renice();

/** Answers how many documents it was, of all builders together for a build. */
handleJobs<BuilderJob, number>(async (job) => {
  const pool = connect(job.url, 'bench builder', { max: BUILD_CONNECTIONS });
  try {
    const registry = await registerSources(pool);
    switch (job.kind) {
      case 'build':
        return await build(pool, registry);
      case 'project':
        return await projectOnly(pool, registry, keysOf(job));
      case 'drain':
        return (await drain(pool, registry)).changed;
      case 'catch-up':
        return await catchUpReady(pool, registry);
    }
  } finally {
    await pool.end();
  }
});

async function build(pool: Pool, registry: Registry): Promise<number> {
  let documents = 0;
  await buildVersion(pool, artistProjection, registry, {
    onProgress: ({ total }) => {
      documents = total;
    },
  });
  return documents;
}

async function catchUpReady(pool: Pool, registry: Registry): Promise<number> {
  const ready = (await versionsOf(pool, artistProjection.name)).find(({ state }) => state === 'ready');
  if (ready === undefined) throw new Error('no version is ready');
  await catchUp(pool, [ready], registry, { maxLeft: 0 });
  return 0;
}

function keysOf({ artists, first, step }: Extract<BuilderJob, { kind: 'project' }>): SubjectRef[] {
  const keys: SubjectRef[] = [];
  for (let index = first; index < artists; index += step)
    keys.push(`artist:${clusterIdOf(index)}`, `catalog-artist:${catalogIdOf(index)}`);
  return keys;
}

/** As a builder does it, two ranges side by side, up to where the documents would be stored. */
async function projectOnly(pool: Pool, registry: Registry, keys: readonly SubjectRef[]): Promise<number> {
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < keys.length) {
      const range = keys.slice(next, next + RANGE);
      next += RANGE;
      await documentTransaction(pool, async (client) => {
        const projected = await artistProjection.project(range, mirrorReader(client, registry), registry);
        for (const { document } of projected) document?.body();
      });
    }
  };
  await Promise.all([work(), work()]);
  return keys.length;
}
