import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, readdir, realpath, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { type Account, SHARED_STATE } from './installation.ts';

export interface DataFolder {
  /** The real path. */
  readonly folder: string;
  /** If it is new, all files in it are left from a data folder that was removed. */
  readonly isNew: boolean;
}

function isReachable(folder: string, account: Account): boolean {
  return spawnSync('/bin/sh', ['-c', 'test -w "$0"', folder], { ...account, cwd: '/' }).status === 0;
}

async function own(folder: string, account: Account): Promise<void> {
  await mkdir(path.dirname(folder), { recursive: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (account.uid === undefined || account.gid === undefined) return;
  await chown(folder, account.uid, account.gid);
  await chmod(folder, 0o700);
}

/** Moves the data out of a folder that PostgreSQL's account cannot read, such as /root. */
async function placeElsewhere(dataDir: string, folder: string, account: Account): Promise<DataFolder> {
  if ((await readdir(folder)).length > 0)
    throw new Error(`${folder} holds data that account ${account.uid} cannot reach; open its parent folders`);
  const digest = createHash('sha256').update(folder).digest('hex').slice(0, 12);
  const elsewhere = path.join(SHARED_STATE, `data-${digest}`);
  await mkdir(SHARED_STATE, { recursive: true, mode: 0o755 });
  await own(elsewhere, account);
  if (!isReachable(elsewhere, account))
    throw new Error(
      `PostgreSQL does not run as root, and its account can reach neither ${folder} nor ${elsewhere}`,
    );
  await rm(dataDir, { recursive: true });
  await symlink(elsewhere, dataDir);
  return { folder: elsewhere, isNew: true };
}

/**
 * Creates or finds the data folder. If the account cannot reach `dataDir` (a checkout in /root), `dataDir` becomes a
 * link to a folder that it can reach. If the link is removed, the data counts as removed.
 */
export async function prepareDataFolder(dataDir: string, account: Account): Promise<DataFolder> {
  const isNew = !existsSync(dataDir);
  // A link without its target.
  if (isNew) await rm(dataDir, { force: true });
  await own(dataDir, account);
  const folder = await realpath(dataDir);
  if (isReachable(folder, account)) return { folder, isNew };
  if (account.uid === undefined)
    throw new Error(`${folder} belongs to another account; choose another data folder`);
  return placeElsewhere(dataDir, folder, account);
}
