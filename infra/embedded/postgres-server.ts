import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { postgresEnvironment } from './config.ts';
import { filesOf, type Installation, ROLE, socketFolder, urlOf } from './postgres-cluster.ts';
import type { PostgresSettings } from './postgres-settings.ts';
import { waitUntil } from './processes.ts';

/** Long, because a crash under load leaves gigabytes of log to replay. */
const STARTUP_MS = 10 * 60_000;

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

function spawnServer(
  { bin, folder, account }: Installation,
  settings: PostgresSettings,
): Promise<ChildProcess> {
  const files = filesOf(folder);
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  // The account could not open a log of root.
  rmSync(files.log, { force: true });
  const log = openSync(files.log, 'w', 0o600);
  // In its own process group. Else Ctrl-C would stop the server before its clients have shut down.
  const child = spawn(path.join(bin, 'postgres'), ['-D', files.cluster, ...flags], {
    ...account,
    cwd: folder,
    detached: true,
    stdio: ['ignore', log, log],
    env: postgresEnvironment(),
  });
  closeSync(log);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('spawn', () => resolve(child));
  });
}

/** Creates the database if it is missing. @returns false while the server is not listening or replays its log */
async function isReady(url: string): Promise<boolean> {
  const maintenance = new URL(url);
  maintenance.pathname = '/postgres';
  const client = new Client({ connectionString: maintenance.href });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rowCount } = await client.query('select from pg_database where datname = $1', [ROLE]);
    if (rowCount === 0) await client.query(`create database ${ROLE}`);
    return true;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (['ECONNREFUSED', 'ECONNRESET', 'ENOENT', '57P03'].includes(code)) return false;
    throw error;
  } finally {
    await client.end().catch(() => {});
  }
}

async function untilReady(child: ChildProcess, folder: string, url: string): Promise<void> {
  const deadline = Date.now() + STARTUP_MS;
  while (!(await isReady(url))) {
    if (hasEnded(child)) {
      const log = (await readFile(filesOf(folder).log, 'utf8')).trim().split('\n');
      throw new Error(`PostgreSQL did not start on ${folder}:\n${log.slice(-5).join('\n')}`);
    }
    if (Date.now() > deadline) throw new Error(`PostgreSQL did not become ready on ${folder}`);
    await delay(50);
  }
}

/** Starts a server and waits until its database exists. A failure leaves no process behind. */
export async function startServer(
  installation: Installation,
  settings: PostgresSettings,
  port: number,
): Promise<ChildProcess> {
  const child = await spawnServer(installation, {
    ...settings,
    unix_socket_directories: socketFolder(installation.folder),
    port: String(port),
  });
  try {
    await untilReady(child, installation.folder, await urlOf(installation.folder, port));
  } catch (error) {
    await stopServer(child);
    throw error;
  }
  return child;
}

/** Fast shutdown; after a minute immediate shutdown, from which the next start recovers. */
export async function stopServer(child: ChildProcess): Promise<void> {
  child.ref();
  child.kill('SIGINT');
  if (await waitUntil(() => hasEnded(child), 60_000)) return;
  child.kill('SIGQUIT');
  await waitUntil(() => hasEnded(child), 10_000);
}
