import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';

/** The account PostgreSQL runs under: empty for our own, since it refuses to run as root only. */
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

/** Whoever made the data must go on with it: PostgreSQL opens no folder of another account. */
function ownerOf(dataDir: string): Account | null {
  const owner = statSync(dataDir, { throwIfNoEntry: false });
  return owner === undefined || owner.uid === 0 ? null : { uid: owner.uid, gid: owner.gid };
}

/** As root: the owner of the data, else the account of PostgreSQL, created where the system has none. Else empty. */
export function postgresAccount(dataDir: string): Account {
  if (process.getuid?.() !== 0) return {};
  const found = ownerOf(dataDir) ?? findAccount();
  if (found !== null) return found;
  createAccount();
  const created = findAccount();
  if (created === null) throw new Error('the account "linernotes" was created but cannot be found');
  return created;
}
