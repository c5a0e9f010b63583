import { randomBytes } from 'node:crypto';
import { artistProjection } from '../../projections/models/artist/project.ts';
import { issueKey } from '../../services/query/keys/keys.ts';
import { rebuild } from '../support/projections/rebuild.ts';
import { fillBenchMirror } from './data/fill-mirror.ts';
import type { BenchDatabase } from './database.ts';
import type { BenchOptions } from './options.ts';
import { step } from './progress.ts';
import { settle } from './settle.ts';

/** Fills a database with the dossiers of artists, as they are in service. */
export async function fillDossiers(database: BenchDatabase, { artists, seed }: BenchOptions): Promise<void> {
  await step(`writing the rows of ${artists} artists`, () =>
    fillBenchMirror(database, { seed, to: artists }),
  );
  await step('building the dossiers', () => rebuild(database.pool, artistProjection, database.registry));
  await step('settling the database', () => settle(database));
}

/** Issues a key of a tier. `unlimited` has no limits at all, not even of concurrency. */
export async function benchKey({ pool }: BenchDatabase, tier: 'standard' | 'unlimited'): Promise<string> {
  const label = `benchmark ${randomBytes(3).toString('hex')}`;
  const { key } = await issueKey(pool, { environment: 'test', label, tier, expiresAt: null });
  return key;
}
