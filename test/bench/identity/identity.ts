import { randomBytes } from 'node:crypto';
import { identityProjection } from '../../../projections/models/identity/project.ts';
import { recordingProjection } from '../../../projections/models/recording/project.ts';
import { issueKey } from '../../../services/query/keys/keys.ts';
import { rebuild } from '../../support/projections/rebuild.ts';
import type { Cleanup } from '../cleanup.ts';
import { clusterIdOf } from '../data/artist.ts';
import { fillBenchMirror } from '../data/fill-mirror.ts';
import { openDatabase } from '../database.ts';
import type { BenchOptions } from '../options.ts';
import { type ProgramOptions, startWorker } from '../processes/program.ts';
import { PATIENT, startQueryProcess } from '../processes/query-service.ts';
import type { ResolveLoad, ResolveLoadResult } from '../processes/resolve-load.ts';
import { step } from '../progress.ts';
import type { Figure } from '../report.ts';
import { settle } from '../settle.ts';
import { fillTracks } from './fill-tracks.ts';
import { generateIdentity } from './generate.ts';
import { askedBy, askedFor } from './locators.ts';
import { type IdentityStage, measureBatch, measureLocators, warmUp } from './measure.ts';
import { measureTracks } from './measure-tracks.ts';

/** Of each kind, before anything is measured. */
const CHECKED = 10;

/** How long resolve takes by each kind of locator, and for many of them in one request; and tracks by title. */
export async function* benchIdentity(options: BenchOptions, cleanup: Cleanup): AsyncGenerator<Figure> {
  const stage = await prepare(options, cleanup);
  await step('checking responses', () => checkAnswers(stage));
  await step('warming up', () => warmUp(stage));
  yield* await measureLocators(stage);
  yield await step('batches', () => measureBatch(stage));
  yield* measureTracks(stage);
}

async function prepare(options: BenchOptions, cleanup: Cleanup): Promise<IdentityStage> {
  const { artists, recordings, tracks, profiles } = options;
  const catalogue = { artists, recordings };
  const database = await step('starting PostgreSQL', () => openDatabase(cleanup));
  await step(`writing the rows of ${artists} artists and ${recordings} recordings`, () =>
    fillBenchMirror(database, {
      seed: options.seed,
      to: artists,
      generate: (seed, index) => generateIdentity(catalogue, seed, index),
    }),
  );
  for (const projection of [identityProjection, recordingProjection]) {
    await step(`building ${projection.name}`, () => rebuild(database.pool, projection, database.registry));
  }
  await step(`writing ${tracks} tracks`, () => fillTracks(database, tracks));
  await step('settling the database', () => settle(database));
  const { key } = await issueKey(database.pool, {
    environment: 'test',
    label: `benchmark ${randomBytes(3).toString('hex')}`,
    // Tracks are resolved more often than a key of another tier may.
    tier: 'unlimited',
    expiresAt: null,
  });
  const own = (name: string): ProgramOptions => ({ name, profiles, cleanup });
  const service = await startQueryProcess(database.url, { ...own('query'), env: PATIENT });
  const generator = startWorker<ResolveLoad, ResolveLoadResult>('./resolve-load.ts', own('load'));
  return { options, catalogue, service, key, generator };
}

async function checkAnswers({ service, key, catalogue }: IdentityStage): Promise<void> {
  const headers = { 'x-api-key': key };
  for (const by of askedBy) {
    for (let checked = 0; checked < CHECKED; checked++) {
      const number = Math.floor((checked / CHECKED) * catalogue.recordings);
      const { locator, artist } = askedFor(by, number, catalogue);
      const url = `http://127.0.0.1:${service.port}/api/v2/resolve?${new URLSearchParams(locator)}`;
      const response = await fetch(url, { headers });
      const body: { cluster_id?: string | null } = JSON.parse(await response.text());
      if (body.cluster_id !== (artist === null ? null : clusterIdOf(artist)))
        throw new Error(`${url} responded with ${response.status}: ${JSON.stringify(body)}`);
    }
  }
}
