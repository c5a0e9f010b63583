import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Pool } from 'pg';
import { type Logger, pino } from 'pino';
import { connect } from '../../db/connect.ts';
import { migrate } from '../../db/migrate.ts';
import { currentDay } from '../../projections/engine/day.ts';
import { type Registry, registerSources } from '../../projections/engine/registry.ts';
import { issueKey } from '../../services/query/keys/keys.ts';
import { startQueryService } from '../../services/query/server.ts';
import { DEFAULT_TASTE_PORT } from '../../services/taste/config.ts';
import { connectJobs, startJobs } from '../../workers/jobs/runner/start-jobs.ts';
import { runProjector } from '../../workers/project/run-projector.ts';
import { linernotesHome, postgresFolder } from '../embedded/config.ts';
import { startEmbeddedPostgres } from '../embedded/postgres.ts';
import { playInBackground, renewInBackground } from './background.ts';
import { readStartConfig, type StartSettings, searchInDatabase, setDefaultDay } from './config.ts';
import { indexFirst, loadFolder, projectFirst, publishFirst } from './first-run.ts';
import { chooseOptionalPort, requireFreePort } from './ports.ts';
import { serveTaste } from './serve-taste.ts';

const SAMPLE = fileURLToPath(new URL('../sample', import.meta.url));
/** The day on which the sample's signals overlap most; see its README. */
const SAMPLE_DAY = '2019-06-30';

export interface StartOptions {
  /** A folder of snapshot files instead of the bundled sample. */
  readonly dataFolder: string | null;
}

export interface StartedSystem {
  stop(): Promise<void>;
  /** Resolves if the database stops unexpectedly. Nothing works without it. */
  readonly databaseEnded: Promise<void>;
}

/** Starts everything on this machine, loads data that is not loaded yet, and prints example requests. */
export async function start({ dataFolder }: StartOptions): Promise<StartedSystem> {
  const config = readStartConfig();
  searchInDatabase();
  await requireFreePort('PORT', config.PORT);
  const tastePort = await chooseOptionalPort('TASTE_PORT', {
    configured: config.TASTE_PORT,
    fallback: DEFAULT_TASTE_PORT,
    taken: config.PORT,
  });
  const folder = resolve(dataFolder ?? SAMPLE);
  const isFolder = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) throw new Error(`${folder} is not a folder`);
  if (dataFolder === null) setDefaultDay(SAMPLE_DAY);
  currentDay();
  const home = linernotesHome(config.LINERNOTES_HOME);
  const dataHome = join(home, dataSetOf(dataFolder === null ? null : folder));
  await mkdir(dataHome, { recursive: true });

  const disposers: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const dispose of disposers.splice(0).reverse()) await dispose();
  };
  try {
    const postgres = await startEmbeddedPostgres({ dataDir: postgresFolder(home, basename(dataHome)) });
    disposers.push(() => postgres.stop());
    await migrate(postgres.url);
    const pool = connect(postgres.url, 'start');
    disposers.push(() => pool.end());
    const registry = await registerSources(pool);
    await loadFolder(pool, registry, folder);
    await projectFirst(pool, registry);
    await indexFirst(pool);
    await publishFirst(pool);
    const { url } = postgres;
    await serve({ config, pool, registry, folder, home: dataHome, tastePort, url, disposers });
    return { stop, databaseEnded: postgres.ended };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Each data folder has its own database, so that rows of two folders do not mix. */
const dataSetOf = (folder: string | null): string =>
  folder === null ? 'sample' : `data-${createHash('sha256').update(folder).digest('hex').slice(0, 8)}`;

interface Serving {
  readonly config: StartSettings;
  readonly pool: Pool;
  readonly registry: Registry;
  readonly folder: string;
  /** The folder of the data set, with its database and secrets. */
  readonly home: string;
  readonly tastePort: number;
  readonly url: string;
  readonly disposers: (() => Promise<void>)[];
}

async function serve(serving: Serving): Promise<void> {
  const { config, pool, registry, home, tastePort, url, disposers } = serving;
  const log = pino({ level: config.LOG_LEVEL }, pino.destination(2));
  const projector = runProjector(pool, registry, {
    databaseUrl: url,
    log: log.child({ component: 'projector' }),
  });
  disposers.push(() => projector.stop());
  const service = await startQueryService({
    databaseUrl: url,
    port: config.PORT,
    log: log.child({ component: 'query' }),
  });
  disposers.push(() => service.stop());
  const taste = await serveTaste(config, {
    databaseUrl: url,
    home,
    port: tastePort,
    log: log.child({ component: 'taste' }),
  });
  disposers.push(() => taste.stop());
  const key = await testKey(pool, home);
  const examples = await exampleRequests(pool);
  process.stdout.write(`taste ${taste.url}\n`);
  process.stdout.write(`ready ${service.url}/api/v2  key ${key}\n`);
  for (const path of examples) {
    process.stdout.write(`curl -s --compressed -H 'X-API-Key: ${key}' '${service.url}${path}'\n`);
  }
  const renewal = renewInBackground(pool, registry, log.child({ component: 'build' }));
  disposers.push(() => renewal.stop());
  disposers.push(runJobs(url, log.child({ component: 'jobs' })));
  disposers.push(playInBackground(serving, renewal));
}

/** Runs background jobs in this process, with the queue in the database. @returns how to stop */
function runJobs(databaseUrl: string, log: Logger): () => Promise<void> {
  const pool = connectJobs(databaseUrl);
  const jobs = startJobs({ databaseUrl, pool, log });
  return async () => {
    await jobs.stop();
    await pool.end();
  };
}

/** The key of the first start. It is kept in a file because the database has only its digest. */
async function testKey(pool: Pool, home: string): Promise<string> {
  const file = join(home, 'test-key');
  if (existsSync(file)) return (await readFile(file, 'utf8')).trim();
  const { key } = await issueKey(pool, {
    environment: 'test',
    label: 'npm start',
    tier: 'standard',
    expiresAt: null,
  });
  await writeFile(file, `${key}\n`, { mode: 0o600 });
  await chmod(file, 0o600);
  return key;
}

/** The artists with the longest dossiers. */
const RICHEST = `
  select slug.address as slug, substr(name.address, length('name:') + 1) as name
  from read.artist
    join read.artist_address slug on slug.document = artist.id
    join read.identity_address name on name.document = artist.id
  where slug.rank = 0 and name.rank = 0 and name.address like 'name:%'
  order by octet_length(artist.body) desc, key
  limit 3`;

/** Paths of up to three requests: a whole dossier, some of its facets, and a name to resolve. */
async function exampleRequests(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ slug: string; name: string }>(RICHEST);
  const [whole, partial, named] = rows;
  const paths: string[] = [];
  if (whole) paths.push(`/api/v2/artist/${encodeURIComponent(whole.slug)}`);
  if (partial)
    paths.push(`/api/v2/artist/${encodeURIComponent(partial.slug)}?fields=emergence,connections,provenance`);
  if (named) paths.push(`/api/v2/resolve?q=${encodeURIComponent(named.name)}`);
  return paths;
}
