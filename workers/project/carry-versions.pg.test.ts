import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runner } from 'node-pg-migrate';
import { pino } from 'pino';
import { beforeEach, expect, it } from 'vitest';
import { migrate } from '../../db/migrate.ts';
import { registerSources } from '../../projections/engine/registry.ts';
import { isOwn } from '../../projections/engine/store/code-version.ts';
import { keptVersions, type VersionState, versionsOf } from '../../projections/engine/store/version.ts';
import { projectionByName, projections } from '../../projections/index.ts';
import { withDatabase } from '../../test/support/services/database.ts';
import type { RebuildMode } from './decide-build.ts';
import { keepVersions } from './keep-versions.ts';

const MIGRATIONS = fileURLToPath(new URL('../../db/migrations', import.meta.url));
const CARRYING = '0024_code_versions';
const MODEL = 'mb-track';

const { pool, url } = withDatabase('empty');

const run = (direction: 'up' | 'down', count: number) =>
  runner({
    databaseUrl: url,
    dir: MIGRATIONS,
    ignorePattern: '(\\..*|.*\\.md)',
    direction,
    count,
    migrationsTable: 'schema_migration',
    log: () => {},
  });

const names = readdirSync(MIGRATIONS).flatMap((file) => (file.endsWith('.sql') ? [file.slice(0, -4)] : []));
const from = names.toSorted().indexOf(CARRYING);

/** The database as the previous release left it. */
beforeEach(async () => {
  await pool.query(`
    drop schema if exists access, ingest, operation, projection, published, read, search, taste, telemetry cascade;
    drop table if exists public.schema_migration; drop extension if exists pg_trgm`);
  await run('up', from);
});

/** Starts a version as that release did. */
const insert = (projection: string, state: VersionState, fingerprint: string) =>
  pool.query(
    `insert into projection.version (projection, state, fingerprint, reads) values ($1, $2, $3, '{}')`,
    [projection, state, fingerprint],
  );

/** Read models whose output is the same as in that release. */
const unchanged = projections.filter(({ version }) => version === 1);

/** What is logged about unchanged read models. */
async function start(mode: RebuildMode): Promise<string[]> {
  const lines: string[] = [];
  const write = (line: string) => {
    const { projection, msg } = JSON.parse(line);
    if (unchanged.some(({ name }) => name === projection)) lines.push(msg);
  };
  const log = pino({ level: 'info' }, { write });
  const { signal } = new AbortController();
  await keepVersions(pool, await registerSources(pool), { mode, log, signal });
  return lines;
}

const stored = async (projection: string) =>
  (await versionsOf(pool, projection)).map(({ state, codeVersion }) => `${state} ${codeVersion}`);

it('builds no unchanged read model for a database of the previous release', async () => {
  for (const { name } of projections) await insert(name, 'live', `code of ${name}`);
  await migrate(url);
  expect(await start('promote')).toEqual([]);
  const kept = await keptVersions(pool, projections);
  for (const { name, reads } of unchanged) {
    const [version, ...more] = kept.filter(({ projection }) => projection === name);
    expect(more).toEqual([]);
    expect(version && isOwn(version, projectionByName.get(name))).toBe(true);
    expect(version?.reads).toEqual(new Map(reads.map(({ source, by }) => [source.table, by])));
  }
  for (const { name } of unchanged) expect(await stored(name)).toEqual(['live 1']);
});

it('leaves documents of older code to that code', async () => {
  await insert('artist', 'retired', 'code');
  await insert('artist', 'previous', 'older');
  await insert('artist', 'live', 'code');
  await insert('artist', 'building', 'code');
  await migrate(url);
  expect(await stored('artist')).toEqual(['previous older', 'live 1', 'building 1']);
});

it.each<[string, VersionState, string]>([
  ['was rolled back', 'previous', `${MODEL} was rolled back`],
  ['waits for a promotion', 'ready', `is ready and waits for promotion: promote ${MODEL}`],
])(
  'serves documents of the previous release from the newest version, if it %s',
  async (_name, state, says) => {
    for (const { name } of projections) await insert(name, 'live', 'older');
    await insert(MODEL, state, 'code');
    await migrate(url);
    expect(await stored(MODEL)).toEqual(['live older', `${state} 1`]);
    expect(await start('promote')).toEqual([expect.stringContaining(says)]);
  },
);

it('does not match taste accounts again', async () => {
  await pool.query(
    `insert into taste.matched (inputs, sign) values ('0123456789abcdef 12 -345', 'fedcba 7 1 2 3')`,
  );
  await migrate(url);
  const { rows } = await pool.query('select inputs, sign from taste.matched');
  expect(rows).toEqual([{ inputs: '1 12 -345', sign: '1 7 1 2 3' }]);
});

it('lets processes of the previous release run without changing new versions', async () => {
  await insert('artist', 'live', 'code');
  await migrate(url);
  await pool.query(
    `insert into projection.version (projection, state, code_version, reads) values ('artist', 'ready', '2', '{}')`,
  );
  await insert('label', 'building', 'code');
  const { rows } = await pool.query('select fingerprint from projection.version order by id');
  expect(rows).toEqual([{ fingerprint: 'code' }, { fingerprint: '' }, { fingerprint: 'code' }]);
  expect(await stored('label')).toEqual(['building ']);
});

it('can be migrated down', async () => {
  await insert('artist', 'live', 'code');
  await migrate(url);
  await pool.query(
    `insert into projection.version (projection, state, code_version) values ('artist', 'ready', '2')`,
  );
  await run('down', names.length - from);
  const { rows } = await pool.query('select state, fingerprint from projection.version order by id');
  expect(rows).toEqual([
    { state: 'live', fingerprint: 'code' },
    { state: 'ready', fingerprint: 'code version 2' },
  ]);
});
