import { pino } from 'pino';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { notify } from '../../db/notify.ts';
import type { Source } from '../../projections/contracts/contract.ts';
import { artistIdentityBridge } from '../../projections/contracts/seen/artist-identity-bridge.ts';
import { performingEntity } from '../../projections/contracts/seen/performing-entity.ts';
import { type Registry, registerSources } from '../../projections/engine/registry.ts';
import { identityProjection } from '../../projections/models/identity/project.ts';
import { IMPORT_CHANNEL } from '../../projections/models/taste/imports.ts';
import { readProfile } from '../../services/taste/profile/read-profile.ts';
import { digestOf } from '../../services/taste/profile/secrets.ts';
import { loadSample } from '../../test/support/ingest/load-sample.ts';
import { rebuild } from '../../test/support/projections/rebuild.ts';
import { withDatabase } from '../../test/support/services/database.ts';
import { connectAccount, importState, matchesOf } from '../../test/support/taste/rows.ts';
import {
  collectionPage,
  jsonResponse,
  statisticsPage,
  withUpstream,
} from '../../test/support/taste/upstream.ts';
import type { Job } from './define-job.ts';
import { runJob } from './runner/run-job.ts';
import { startJobs } from './runner/start-jobs.ts';
import { tasteImport } from './taste-import.ts';
import { tasteRematch } from './taste-rematch.ts';

/** Poll interval of a condition; no assertion depends on it. */

const { pool, url } = withDatabase();
const upstream = withUpstream();
let registry: Registry;

beforeAll(async () => {
  registry = await registerSources(pool);
  const decisive: readonly Source[] = identityProjection.reads.map(({ source }) => source);
  await loadSample(pool, registry, decisive);
  await rebuild(pool, identityProjection, registry);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await pool.query('truncate taste.person cascade; truncate taste.upstream, taste.matched');
});

function configure(): void {
  vi.stubEnv('TASTE_CONTACT', 'a@b.example');
  vi.stubEnv('TASTE_SCROBBLER_URL', upstream.url);
  vi.stubEnv('TASTE_SCROBBLER_KIND', 'statistics');
  vi.stubEnv('TASTE_SCROBBLER_PER_MINUTE', '60000');
  vi.stubEnv('TASTE_CATALOG_URL', upstream.url);
  vi.stubEnv('TASTE_CATALOG_PER_MINUTE', '60000');
}

const run = (job: Job) =>
  runJob(
    job,
    {},
    {
      pool,
      log: pino({ level: 'silent' }),
      signal: new AbortController().signal,
      report: () => {},
      jobId: null,
      attempt: 1,
      waitForDatabase: false,
    },
  );

interface Known {
  readonly cluster: string;
  readonly catalog: number;
  readonly mbid: string;
  readonly name: string;
}

/** Rows of the sample as delivered. */
const rowsOf = (name: string, source: Source): string => `${name} as (
  select row::json as row from ingest.mirror
  where row is not null and source = (select id from ingest.source where name = '${source.table}'))`;

/** Artists that the sample binds to the catalogue and the metadata database, with unique ids and names. */
const KNOWN = `
  with ${rowsOf('bridge', artistIdentityBridge)}, ${rowsOf('performing', performingEntity)},
  bound as (
    select row->>'cluster_id' as cluster, (row->>'catalog_artist_id')::int as catalog, row->>'mbid' as mbid
    from bridge where (row->>'catalog_artist_id_count')::int = 1
  ), alone as materialized (
    select *, count(*) over (partition by catalog) as of_catalog, count(*) over (partition by mbid) as of_mbid from bound
    where catalog is not null and mbid is not null
  ), named as materialized (
    select row->>'cluster_id' as cluster, row->>'name' as name,
      count(*) over (partition by lower(row->>'name')) as of_name
    from performing
  )
  select cluster, catalog, mbid, name from alone join named using (cluster)
  where of_catalog = 1 and of_mbid = 1 and of_name = 1
  order by cluster limit 150`;

async function knownArtists(): Promise<Known[]> {
  const { rows } = await pool.query<Known>(KNOWN);
  expect(rows.length).toBe(150);
  return rows;
}

/** The profile that a token of the person returns. */
async function profileOf(person: string): Promise<unknown> {
  const digest = digestOf(`token of ${person}`);
  await pool.query(
    `insert into taste.token (digest, person_id, consumer, expires_at) values ($1, $2, 'app', now() + interval '1 day')
     on conflict do nothing`,
    [digest, person],
  );
  const profile = await readProfile(pool, { digest, consumer: null });
  return typeof profile === 'object' && 'clusters' in profile ? profile.clusters : profile;
}

const sorted = (clusters: readonly string[]): string[] => [...clusters].sort();

it('resolves collected and heard artists, and follows changed identities', async () => {
  configure();
  const known = await knownArtists();
  const [collected, listened] = [known.slice(0, 75), known.slice(75)];
  const unheard = { name: 'Nobody Has Ever Heard Of These', mbid: 'ffffffff-ffff-4fff-8fff-ffffffffffff' };
  upstream.answer(({ path, query }, response) => {
    if (path.startsWith('/users')) {
      const artists = collected.map(({ catalog, name }) => ({ id: catalog, name: `${name} (2)` }));
      jsonResponse(
        response,
        collectionPage([...artists, { id: 194, name: 'Various' }, { id: 2 ** 40, name: '?' }], 1, 1),
      );
    } else {
      const offset = Number(query.get('offset'));
      const all = [...listened.map(({ name, mbid }) => ({ name, mbid })), unheard];
      jsonResponse(response, statisticsPage(all.slice(offset, offset + 50), offset, all.length));
    }
  });
  const collector = await connectAccount(pool, { username: 'somebody' });
  const { person } = collector;
  const listener = await connectAccount(pool, { service: 'scrobbler', username: 'somebody', person });
  expect(await run(tasteImport)).toEqual({ pages: 3, done: 2, failed: 0, postponed: 0 });

  const clusters = known.map(({ cluster }) => cluster);
  expect(await profileOf(person)).toEqual(sorted(clusters));
  expect(new Set(Object.values(await matchesOf(pool, collector.account)))).toEqual(new Set(['catalog']));
  expect(new Set(Object.values(await matchesOf(pool, listener.account)))).toEqual(new Set(['mbid']));
  expect(await importState(pool, collector.import)).toMatchObject({ items: 76, matched: 75 });
  expect(await importState(pool, listener.import)).toMatchObject({ items: 76, matched: 75 });

  expect(await run(tasteRematch)).toEqual({ accounts: 2, changed: 0 });
  expect(await run(tasteRematch)).toEqual({ changed: 0 });
  // The first artist moves to another cluster, and the second one loses its cluster.
  const [moved, unbound] = collected;
  const another = 'ab'.repeat(32);
  await pool.query(
    `update ingest.mirror set key = replace(key, $1, $2), subject = $2, row = replace(row, $1, $2)
     where subject = $1`,
    [moved?.cluster, another],
  );
  await pool.query('update ingest.link set key = replace(key, $1, $2) where position($1 in key) > 0', [
    moved?.cluster,
    another,
  ]);
  await pool.query('delete from ingest.mirror where subject = $1', [unbound?.cluster]);
  await rebuild(pool, identityProjection, registry);
  await run(tasteRematch);
  const now = clusters.filter((cluster) => cluster !== moved?.cluster && cluster !== unbound?.cluster);
  expect(await profileOf(person)).toEqual(sorted([...now, another]));
});

it('starts when a user connects an account', async () => {
  configure();
  upstream.answer((_, response) => jsonResponse(response, collectionPage([], 1, 1)));
  const jobs = startJobs({
    databaseUrl: url,
    pool,
    log: pino({ level: 'silent' }),
    // Without its schedule, so that only the notification starts it.
    jobs: [{ ...tasteImport, schedule: null }],
  });
  try {
    await jobs.ready;
    const listens = `select 1 from pg_stat_activity where datname = current_database() and state = 'idle'
      and application_name = 'linernotes jobs notifications' and query like 'listen %'`;
    await expect.poll(async () => (await pool.query(listens)).rowCount).toBe(1);
    const { import: id } = await connectAccount(pool, { username: 'somebody' });
    await notify(pool, IMPORT_CHANNEL);
    await expect.poll(() => importState(pool, id)).toMatchObject({ state: 'done' });
    const ended = `select result from operation.job_run where name = 'taste-import' and outcome = 'done' and result->>'pages' = '1'`;
    await expect
      .poll(async () => (await pool.query(ended)).rows)
      .toEqual([{ result: { pages: 1, done: 1, failed: 0, postponed: 0 } }]);
  } finally {
    await jobs.stop();
  }
});

it('fails imports of a service that is not configured, and fails on wrong settings', async () => {
  const { import: id } = await connectAccount(pool, { username: 'somebody' });
  expect(await run(tasteImport)).toEqual({ pages: 0, done: 0, failed: 1, postponed: 0 });
  expect(await importState(pool, id)).toMatchObject({ state: 'failed', failure: 'not_configured' });
  vi.stubEnv('TASTE_CATALOG_URL', 'somewhere');
  await expect(run(tasteImport)).rejects.toThrow('TASTE_CATALOG_URL is not an http or https URL');
});
