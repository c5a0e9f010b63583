import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { chown, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { postgresEnvironment } from './config.ts';
import type { Account } from './installation.ts';
import { commandOf, signal, waitUntil } from './processes.ts';

const MAJOR = '18';
export const ROLE = 'linernotes';

/** The files of a data folder. */
export const filesOf = (folder: string) => ({
  cluster: path.join(folder, 'cluster'),
  password: path.join(folder, 'password'),
  port: path.join(folder, 'port'),
  log: path.join(folder, 'postgres.log'),
  pid: path.join(folder, 'cluster', 'postmaster.pid'),
  /** Written last. If it is missing, initdb was interrupted. */
  complete: path.join(folder, 'complete'),
});

function runInitdb(bin: string, folder: string, account: Account): Promise<void> {
  const files = filesOf(folder);
  const args = [
    '-D',
    files.cluster,
    '-U',
    ROLE,
    '--encoding=UTF8',
    // Plain C would break lower() and trigrams on accents and CJK; the system's locales differ by machine.
    '--locale-provider=builtin',
    '--locale=C.UTF-8',
    '--auth=scram-sha-256',
    `--pwfile=${files.password}`,
    '--no-instructions',
  ];
  return new Promise((resolve, reject) => {
    const initdb = spawn(path.join(bin, 'initdb'), args, {
      ...account,
      cwd: folder,
      env: postgresEnvironment(),
    });
    let output = '';
    initdb.stdout.resume();
    initdb.stderr.on('data', (chunk) => {
      output += chunk;
    });
    initdb.once('error', reject);
    initdb.once('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`initdb failed in ${folder}: ${output.trim()}`)),
    );
  });
}

async function writePassword(file: string, account: Account): Promise<void> {
  await rm(file, { force: true });
  await writeFile(file, randomBytes(24).toString('hex'), { mode: 0o600 });
  if (account.uid !== undefined && account.gid !== undefined) await chown(file, account.uid, account.gid);
}

async function requireMajor(folder: string): Promise<void> {
  const version = (await readFile(path.join(filesOf(folder).cluster, 'PG_VERSION'), 'utf8')).trim();
  if (version !== MAJOR)
    throw new Error(`${folder} holds data of PostgreSQL ${version}, this is ${MAJOR}: move the folder away`);
}

/** A data folder, and what PostgreSQL runs with on it. */
export interface Installation {
  readonly bin: string;
  readonly folder: string;
  readonly account: Account;
}

/** Creates the cluster if the folder is new, or an earlier initdb was interrupted. */
export async function ensureCluster({ bin, folder, account }: Installation, isNew: boolean): Promise<void> {
  const files = filesOf(folder);
  if (!isNew && existsSync(files.complete)) return requireMajor(folder);
  await rm(files.complete, { force: true });
  await rm(files.cluster, { recursive: true, force: true });
  await writePassword(files.password, account);
  await runInitdb(bin, folder, account);
  await writeFile(files.complete, '');
}

/** The longest socket path that all systems allow. */
const MAX_SOCKET_PATH = 103;
const socketName = (port: number): string => `.s.PGSQL.${port}`;

/** The folder of the server's socket; empty without a socket. */
export const socketFolder = (folder: string): string =>
  process.platform === 'win32' || path.join(folder, socketName(65_535)).length > MAX_SOCKET_PATH
    ? ''
    : folder;

/** The URL of the database, by the server's socket if it has one: a socket costs less than TCP. Host and port work too. */
export async function urlOf(folder: string, port: number): Promise<string> {
  const password = await readFile(filesOf(folder).password, 'utf8');
  const url = new URL(`postgres://${ROLE}:${password}@127.0.0.1:${port}/${ROLE}`);
  if (existsSync(path.join(folder, socketName(port)))) url.searchParams.set('host', folder);
  return url.href;
}

/** The process id of the server on this folder; null if none is running, even if a pid file is left. */
function runningServer(folder: string): number | null {
  const { pid: file, cluster } = filesOf(folder);
  if (!existsSync(file)) return null;
  const pid = Number.parseInt(readFileSync(file, 'utf8'), 10);
  return pid > 0 && commandOf(pid)?.includes(cluster) ? pid : null;
}

/** Stops the server that a killed process left running. Call only while holding the folder. */
export async function stopLeftover(folder: string): Promise<void> {
  const pid = runningServer(folder);
  if (pid !== null) {
    const isGone = () => commandOf(pid)?.includes(filesOf(folder).cluster) !== true;
    signal(pid, 'SIGINT');
    if (!(await waitUntil(isGone, 30_000))) signal(pid, 'SIGQUIT');
    if (!(await waitUntil(isGone, 10_000)))
      throw new Error(`PostgreSQL of an earlier start (process ${pid}) on ${folder} does not stop`);
  }
  // PostgreSQL would mistake another process with this id for its server.
  await rm(filesOf(folder).pid, { force: true });
}

/** The URL of the embedded database that is running on `dataDir`; null if none is. */
export async function runningDatabaseUrl(dataDir: string): Promise<string | null> {
  if (!existsSync(dataDir)) return null;
  const folder = await realpath(dataDir);
  if (runningServer(folder) === null) return null;
  return urlOf(folder, Number(await readFile(filesOf(folder).port, 'utf8')));
}
