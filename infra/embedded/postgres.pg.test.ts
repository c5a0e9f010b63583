import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { connect } from '../../db/connect.ts';
import { THROWAWAY_SETTINGS } from '../../test/support/services/postgres.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './postgres.ts';
import { filesOf, runningDatabaseUrl } from './postgres-cluster.ts';
import { commandOf } from './processes.ts';

const run = promisify(execFile);
let folder: string;
let dataDir: string;
let running: EmbeddedPostgres | undefined;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'linernotes-embedded-'));
  await chmod(folder, 0o755);
  dataDir = path.join(folder, 'data');
});
afterEach(async () => {
  await running?.stop();
  running = undefined;
  await rm(folder, { recursive: true, force: true });
});

async function start(): Promise<EmbeddedPostgres> {
  running = await startEmbeddedPostgres({ dataDir, settings: THROWAWAY_SETTINGS });
  return running;
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const pool = connect(url, 'test', { max: 1 });
  try {
    return (await pool.query(sql)).rows;
  } finally {
    await pool.end();
  }
}

/** Starts the database in another process, and kills that process. */
async function startAndKill(): Promise<void> {
  const module = fileURLToPath(new URL('./postgres.ts', import.meta.url));
  const script = `
    const { startEmbeddedPostgres } = await import(${JSON.stringify(module)});
    await startEmbeddedPostgres({ dataDir: ${JSON.stringify(dataDir)} });
    process.kill(process.pid, 'SIGKILL');`;
  await expect(run(process.execPath, ['--input-type=module', '-e', script])).rejects.toMatchObject({
    signal: 'SIGKILL',
  });
}

it('keeps data, password and port between starts, and can be found while it is running', async () => {
  const first = await start();
  await query(first.url, 'create table kept as select 1 as one');
  expect(await runningDatabaseUrl(dataDir)).toBe(first.url);
  await first.stop();
  expect(await runningDatabaseUrl(dataDir)).toBeNull();

  const second = await start();
  expect(second.url).toBe(first.url);
  expect(await query(second.url, 'select one from kept')).toEqual([{ one: 1 }]);
});

it('rejects a second start on the same folder and does not disturb the first', async () => {
  const { url } = await start();
  await expect(startEmbeddedPostgres({ dataDir })).rejects.toThrow(`in use by process ${process.pid}`);
  expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
});

it('requires the password', async () => {
  const url = new URL((await start()).url);
  url.password = 'wrong';
  await expect(query(url.href, 'select 1')).rejects.toThrow('password authentication failed');
});

it('stops the server of a killed process and starts its own', async () => {
  await startAndKill();
  const orphan = Number.parseInt(await readFile(filesOf(dataDir).pid, 'utf8'), 10);
  expect(commandOf(orphan)).toContain(dataDir);

  const { url } = await start();
  expect(commandOf(orphan)).toBeNull();
  expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
});

it('does not mistake another process for its server because of a stale pid file', async () => {
  await (await start()).stop();
  await writeFile(filesOf(dataDir).pid, `${process.pid}\n${filesOf(dataDir).cluster}\n`);
  expect(await runningDatabaseUrl(dataDir)).toBeNull();
  const { url } = await start();
  expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
});

it('starts again if the creation of the cluster was interrupted', async () => {
  const first = await start();
  await query(first.url, 'create table gone as select 1 as one');
  await first.stop();
  await rm(filesOf(dataDir).complete);

  const second = await start();
  expect(await query(second.url, `select to_regclass('gone') as gone`)).toEqual([{ gone: null }]);
});

it('reports that the server stopped unexpectedly', async () => {
  const { ended } = await start();
  process.kill(Number.parseInt(await readFile(filesOf(dataDir).pid, 'utf8'), 10), 'SIGINT');
  await expect(ended).resolves.toBeUndefined();
});
