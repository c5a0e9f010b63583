import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { freePort } from './free-port.ts';
import { holdFolder } from './hold-folder.ts';
import { postgresAccount } from './postgres-account.ts';
import { postgresBinaries } from './postgres-binaries.ts';
import { ensureCluster, filesOf, urlOf } from './postgres-cluster.ts';
import { prepareDataFolder } from './postgres-folder.ts';
import { stopLeftover } from './postgres-leftover.ts';
import { type Installation, startServer, stopServer } from './postgres-server.ts';
import { type PostgresSettings, SERVICE_SETTINGS } from './postgres-settings.ts';
import { waitUntil } from './processes.ts';
import { onSuddenEnd } from './sudden-end.ts';

export interface EmbeddedPostgresOptions {
  /** Made if missing; keeps data, password and port between starts. One process at a time. */
  readonly dataDir: string;
  /** Without one: the port of the last start if it is free, else any free one. */
  readonly port?: number;
  /** Set over the settings for a service, such as `shared_buffers` or `synchronous_commit`. */
  readonly settings?: PostgresSettings;
}

export interface EmbeddedPostgres {
  /** Of the database `linernotes`, as superuser, on 127.0.0.1 only. */
  readonly url: string;
  /** Fast shutdown: open transactions are rolled back, what is committed is on disk. May be called again. */
  stop(): Promise<void>;
  /** Resolves when the server ends without being asked to. */
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

/** Backends that outlive a killed server for a moment hold its shared memory; another program may take the port. */
const isPassing = (error: unknown): boolean =>
  /pre-existing shared memory block|could not create any TCP\/IP sockets/.test(String(error));

async function startPatiently(
  installation: Installation,
  options: EmbeddedPostgresOptions,
): Promise<Started> {
  const settings = { ...SERVICE_SETTINGS, ...options.settings };
  let failure: unknown;
  let started: Started | undefined;
  await waitUntil(async () => {
    const port = await choosePort(installation.folder, options.port);
    try {
      started = { child: await startServer(installation, settings, port), port };
      return true;
    } catch (error) {
      if (!isPassing(error)) throw error;
      failure = error;
      return false;
    }
  }, 30_000);
  if (started === undefined) throw failure;
  return started;
}

interface Started {
  readonly child: ChildProcess;
  readonly port: number;
}

function watchOver(child: ChildProcess, release: () => void): Pick<EmbeddedPostgres, 'stop' | 'ended'> {
  // Without a listener for its end the server must not keep this process alive.
  child.unref();
  const forget = onSuddenEnd(() => {
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
      forget();
      release();
    });
    return stopping;
  };
  return { stop, ended };
}

/**
 * Runs a real PostgreSQL 18 on `dataDir` as a child of this process, which it does not outlive unless that is
 * killed outright; the next start then ends it. Throws when another process holds the folder, when the folder
 * or the port cannot be used, and when no PostgreSQL is installed for this system.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const account = postgresAccount(options.dataDir);
  const bin = await postgresBinaries(account);
  const { folder, isNew } = await prepareDataFolder(options.dataDir, account);
  const release = holdFolder(folder);
  try {
    await stopLeftover(folder);
    await ensureCluster(bin, folder, account, isNew);
    const { child, port } = await startPatiently({ bin, folder, account }, options);
    await rememberPort(folder, port);
    return { url: await urlOf(folder, port), ...watchOver(child, release) };
  } catch (error) {
    release();
    throw error;
  }
}
