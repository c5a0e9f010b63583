import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Pool } from 'pg';
import { pino } from 'pino';
import { connect } from '../../db/connect.ts';
import { migrate } from '../../db/migrate.ts';
import { currentDay } from '../../projections/day.ts';
import { projections } from '../../projections/index.ts';
import { type Registry, registerSources } from '../../projections/registry.ts';
import { ownFingerprints } from '../../projections/store/fingerprint.ts';
import { liveVersion } from '../../projections/store/version.ts';
import { issueKey } from '../../services/access/keys.ts';
import { startQueryService } from '../../services/query/server.ts';
import { DEFAULT_TASTE_PORT } from '../../services/taste/config.ts';
import { findSnapshots, loadSnapshot } from '../../workers/ingest/load-snapshot.ts';
import { playChanges } from '../../workers/ingest/play-changes.ts';
import { buildVersion } from '../../workers/project/build-version.ts';
import { runProjector } from '../../workers/project/run-projector.ts';
import { linernotesHome, postgresFolder } from '../embedded/home.ts';
import { startEmbeddedPostgres } from '../embedded/postgres.ts';
import { doJobs } from './do-jobs.ts';
import { exampleArtists } from './examples.ts';
import { indexFirst } from './index-first.ts';
import { chooseOptionalPort, readPort, requireFreePort } from './ports.ts';
import { startProgress } from './progress.ts';
import { publishFirst } from './publish-first.ts';
import { type Renewal, renewInBackground } from './renew-in-background.ts';
import { serveTaste } from './serve-taste.ts';
import { showBuild } from './show-build.ts';

const SAMPLE = fileURLToPath(new URL('../sample', import.meta.url));
/** The day on which the sample's signals overlap most; see its README. */
const SAMPLE_DAY = '2019-06-30';
const DEFAULT_PORT = 8080;
const TOPIC_PREFIX = 'producers';
/** Change events a second: slow enough to watch a dossier change. */
const PACE = 50;

export interface StartOptions {
  /** A folder of snapshot files instead of the bundled sample. */
  readonly dataFolder: string | null;
}

export interface Running {
  stop(): Promise<void>;
  /** Resolves when the database ends by itself, without which nothing else can go on. */
  readonly databaseEnded: Promise<void>;
}

/** Starts everything on this machine, loads the data where that is still to do, and says how to ask for it. */
export async function start({ dataFolder }: StartOptions): Promise<Running> {
  const port = readPort('PORT', DEFAULT_PORT);
  await requireFreePort('PORT', port);
  const tastePort = await chooseOptionalPort('TASTE_PORT', DEFAULT_TASTE_PORT, port);
  const folder = resolve(dataFolder ?? SAMPLE);
  const isFolder = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) throw new Error(`${folder} is not a folder`);
  if (dataFolder === null) process.env.AS_OF ??= SAMPLE_DAY;
  currentDay();
  const home = homeOf(dataFolder === null ? null : folder);
  await mkdir(home, { recursive: true });

  const undo: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const postgres = await startEmbeddedPostgres({ dataDir: postgresFolder(basename(home)) });
    undo.push(() => postgres.stop());
    await migrate(postgres.url);
    const pool = connect(postgres.url, 'start');
    undo.push(() => pool.end());
    const registry = await registerSources(pool);
    await load(pool, registry, folder);
    // Of the code that runs, before anything is put in its place.
    ownFingerprints();
    await projectFirst(pool, registry);
    await indexFirst(pool);
    await publishFirst(pool);
    await serve({
      pool,
      registry,
      folder,
      home,
      port,
      tastePort,
      url: postgres.url,
      undo,
    });
    return { stop, databaseEnded: postgres.ended };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Each data folder has a database of its own, so that none mixes with another's rows. */
function homeOf(folder: string | null): string {
  const name =
    folder === null ? 'sample' : `data-${createHash('sha256').update(folder).digest('hex').slice(0, 8)}`;
  return join(linernotesHome(), name);
}

async function load(pool: Pool, registry: Registry, folder: string): Promise<void> {
  const files = await findSnapshots(folder);
  if (files.length === 0)
    throw new Error(`${folder} holds no <schema>.<table>.ndjson[.gz] or .csv[.gz] file`);
  const sizes = await Promise.all(files.map(async ({ path }) => (await stat(path)).size));
  const progress = startProgress(
    'Loading producer tables',
    sizes.reduce((sum, size) => sum + size, 0),
    'bytes',
  );
  const loadedAt = Date.now();
  let rows = 0;
  let deadLetters = 0;
  for (const file of files) {
    const onRead = (bytes: number) => progress.advance(bytes);
    const loaded = await loadSnapshot(pool, registry, file, loadedAt, { onRead });
    rows += loaded.rows;
    deadLetters += loaded.deadLetters;
  }
  progress.done();
  process.stderr.write(`${files.length} tables, ${rows} new rows, ${deadLetters} dead letters\n`);
}

/** Builds what nothing is served of yet; what other code has built serves until `renewInBackground` is through. */
async function projectFirst(pool: Pool, registry: Registry): Promise<void> {
  for (const projection of projections) {
    if ((await liveVersion(pool, projection.name)) !== null) continue;
    const shown = showBuild(projection.name);
    await buildVersion(pool, projection, registry, {
      promote: true,
      replaceAbandoned: true,
      ...shown.listeners,
    }).finally(shown.end);
  }
}

interface Serving {
  readonly pool: Pool;
  readonly registry: Registry;
  readonly folder: string;
  readonly home: string;
  readonly port: number;
  readonly tastePort: number;
  readonly url: string;
  readonly undo: (() => Promise<void>)[];
}

async function serve({ pool, registry, folder, home, port, tastePort, url, undo }: Serving): Promise<void> {
  const log = pino({ level: process.env.LOG_LEVEL ?? 'warn' }, pino.destination(2));
  const projector = runProjector(pool, url, registry, log.child({ component: 'projector' }));
  undo.push(() => projector.stop());
  const service = await startQueryService({
    databaseUrl: url,
    port,
    log: log.child({ component: 'query' }),
  });
  undo.push(() => service.stop());
  const taste = await serveTaste({
    databaseUrl: url,
    home,
    port: tastePort,
    log: log.child({ component: 'taste' }),
  });
  undo.push(() => taste.stop());
  const key = await testKey(pool, home);
  const examples = await exampleArtists(pool);
  process.stdout.write(`taste ${taste.url}\n`);
  process.stdout.write(`ready ${service.url}/api/v2  key ${key}\n`);
  for (const path of examples) {
    process.stdout.write(`curl -s --compressed -H 'X-API-Key: ${key}' '${service.url}${path}'\n`);
  }
  const renewal = renewInBackground(pool, registry, log.child({ component: 'build' }));
  undo.push(() => renewal.stop());
  undo.push(doJobs(url, log.child({ component: 'jobs' })));
  playInBackground({ pool, registry, folder, undo }, renewal);
}

/** The key of the first start, which is kept beside the database because the database has only its digest. */
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

/** Plays the folder's change events, if it has any, while the API answers. */
function playInBackground(
  { pool, registry, folder, undo }: Pick<Serving, 'pool' | 'registry' | 'folder' | 'undo'>,
  renewal: Renewal,
): void {
  const path = ['changes.ndjson.gz', 'changes.ndjson'].map((name) => join(folder, name)).find(existsSync);
  if (path === undefined) return;
  const ending = new AbortController();
  let events = 0;
  const playing = playChanges(path, {
    pool,
    registry,
    prefix: TOPIC_PREFIX,
    pace: PACE,
    signal: ending.signal,
    onProgress(count) {
      events += count;
      if (process.stderr.isTTY && !renewal.isShown())
        process.stderr.write(`\r${events} change events played, ${PACE} a second `);
    },
  }).then(
    (played) => {
      if (played.events === 0) return;
      process.stderr.write(`\r${played.events} change events played, ${played.deadLetters} dead letters\n`);
    },
    (error) => process.stderr.write(`\nchange events cannot be played: ${error}\n`),
  );
  undo.push(async () => {
    ending.abort();
    await playing;
  });
}
