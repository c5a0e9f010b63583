import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Account } from './postgres-account.ts';

const MAJOR = '18';
export const ROLE = 'linernotes';

/** What lies in a data folder. */
export const filesOf = (folder: string) => ({
  cluster: path.join(folder, 'cluster'),
  password: path.join(folder, 'password'),
  port: path.join(folder, 'port'),
  log: path.join(folder, 'postgres.log'),
  pid: path.join(folder, 'cluster', 'postmaster.pid'),
  /** Written last; without it an initdb was interrupted. */
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
    // The environment's locale may not exist on this machine, and initdb would stop there.
    const env = { ...process.env, LC_ALL: 'C', LANG: 'C' };
    const initdb = spawn(path.join(bin, 'initdb'), args, { ...account, cwd: folder, env });
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

async function refuseOtherMajor(folder: string): Promise<void> {
  const version = (await readFile(path.join(filesOf(folder).cluster, 'PG_VERSION'), 'utf8')).trim();
  if (version !== MAJOR)
    throw new Error(`${folder} holds data of PostgreSQL ${version}, this is ${MAJOR}: move the folder away`);
}

/** Brings the folder to a complete cluster: a new one, or again where an initdb was interrupted. */
export async function ensureCluster(
  bin: string,
  folder: string,
  account: Account,
  isNew: boolean,
): Promise<void> {
  const files = filesOf(folder);
  if (!isNew && existsSync(files.complete)) return refuseOtherMajor(folder);
  await rm(files.complete, { force: true });
  await rm(files.cluster, { recursive: true, force: true });
  await writePassword(files.password, account);
  await runInitdb(bin, folder, account);
  await writeFile(files.complete, '');
}

/** Longest path that a socket may have on any system. */
const MAX_SOCKET_PATH = 103;
const socketName = (port: number): string => `.s.PGSQL.${port}`;

/** Where the server puts its socket; empty where it has none. */
export const socketFolder = (folder: string): string =>
  process.platform === 'win32' || path.join(folder, socketName(65_535)).length > MAX_SOCKET_PATH
    ? ''
    : folder;

/** By the socket where the server has one, which takes less of both sides than TCP does; host and port hold too. */
export async function urlOf(folder: string, port: number): Promise<string> {
  const password = await readFile(filesOf(folder).password, 'utf8');
  const url = new URL(`postgres://${ROLE}:${password}@127.0.0.1:${port}/${ROLE}`);
  if (existsSync(path.join(folder, socketName(port)))) url.searchParams.set('host', folder);
  return url.href;
}
