import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../../infra/embedded/free-port.ts';
import { onSuddenEnd } from '../../../infra/embedded/processes.ts';
import { pollUntil } from '../../support/poll.ts';
import { requirePrograms } from '../../support/services/programs.ts';

const run = promisify(execFile);

export interface MariaDb {
  readonly port: number;
  /** Runs statements. */
  sql(text: string): Promise<void>;
  stop(): Promise<void>;
}

/** A MariaDB of its own with a row-based log, whose root has no password. */
export async function startMariaDb(): Promise<MariaDb> {
  await requirePrograms({ mariadbd: 'mariadb-server' }, 'Capturing records of MariaDB');
  const folder = await mkdtemp(path.join(tmpdir(), 'linernotes-mariadb-'));
  const port = await freePort();
  const data = `--datadir=${path.join(folder, 'data')}`;
  const socket = `--socket=${path.join(folder, 'socket')}`;
  await run('mariadb-install-db', [
    '--no-defaults',
    data,
    '--auth-root-authentication-method=normal',
    '--user=root',
  ]);
  const log = ['--log-bin=binlog', '--binlog-format=ROW', '--binlog-row-image=FULL', '--server-id=1'];
  const server = spawn(
    'mariadbd',
    ['--no-defaults', data, socket, `--port=${port}`, '--bind-address=127.0.0.1', '--user=root', ...log],
    { stdio: 'ignore' },
  );
  const forget = onSuddenEnd(() => server.kill('SIGKILL'));
  const sql = async (text: string) => {
    await run('mariadb', ['--no-defaults', socket, '--user=root', '--execute', text]);
  };
  // An anonymous user of the machine would hide users of any host.
  await pollUntil(() => sql(`delete from mysql.global_priv where User = ''; flush privileges`), {
    what: 'MariaDB responds',
    retryOn: () => true,
  });
  return {
    port,
    sql,
    async stop() {
      server.kill('SIGKILL');
      forget();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
