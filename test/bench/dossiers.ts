import { randomBytes } from 'node:crypto';
import { artistProjection } from '../../projections/artist/project.ts';
import { issueKey } from '../../services/access/keys.ts';
import { rebuild } from '../../workers/project/build-version.ts';
import { fillMirror } from './data/fill-mirror.ts';
import type { BenchDatabase } from './database.ts';
import type { BenchOptions } from './options.ts';
import { step } from './progress.ts';
import { settle } from './settle.ts';

/** Fills a database with the dossiers of artists, as they are in service. */
export async function fillDossiers(database: BenchDatabase, { artists, seed }: BenchOptions): Promise<void> {
  await step(`writing the rows of ${artists} artists`, () => fillMirror(database, seed, 0, artists));
  await step('building the dossiers', () => rebuild(database.pool, artistProjection, database.registry));
  await step('letting the database come to rest', () => settle(database));
}

/** A key of a tier; of `unlimited`, no limit is ever reached, nor asked of it how many requests are under way. */
export async function benchKey({ pool }: BenchDatabase, tier: 'standard' | 'unlimited'): Promise<string> {
  const label = `benchmark ${randomBytes(3).toString('hex')}`;
  const { key } = await issueKey(pool, { environment: 'test', label, tier, expiresAt: null });
  return key;
}
