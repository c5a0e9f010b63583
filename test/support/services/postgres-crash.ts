import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../infra/embedded/postgres.ts';
import { filesOf } from '../../../infra/embedded/postgres-cluster.ts';
import type { PostgresSettings } from '../../../infra/embedded/postgres-settings.ts';
import type { TestService } from './service.ts';

/** A server of one's own that can crash and start again, with what it has on disk, under the same address. */
export interface CrashablePostgres extends TestService {
  /** Ends the server immediately, without a checkpoint; every session is cut off. */
  crash(): Promise<void>;
  start(): Promise<void>;
}

/** Committed data has left the server's memory, so that a crash of the server alone loses nothing. */
const SETTINGS = { fsync: 'off', shared_buffers: '64MB' };

/** @param changes further settings, such as `wal_level` */
export async function startCrashablePostgres(changes: PostgresSettings = {}): Promise<CrashablePostgres> {
  const settings = { ...SETTINGS, ...changes };
  const parent = await mkdtemp(path.join(tmpdir(), 'linernotes-crash-'));
  // The server runs under an account of its own where the tests run as root.
  await chmod(parent, 0o755);
  const dataDir = path.join(parent, 'data');
  let server: EmbeddedPostgres = await startEmbeddedPostgres({ dataDir, settings });
  const address = server.url;
  const port = Number(new URL(address).port);
  return {
    address,
    origin: 'embedded',
    async crash() {
      const [pid] = (await readFile(filesOf(await realpath(dataDir)).pid, 'utf8')).split('\n');
      process.kill(Number(pid), 'SIGQUIT');
      // Waits for its end and lets go of the folder.
      await server.stop();
    },
    async start() {
      server = await startEmbeddedPostgres({ dataDir, port, settings });
    },
    async stop() {
      await server.stop();
      if (existsSync(dataDir)) await rm(await realpath(dataDir), { recursive: true, force: true });
      await rm(parent, { recursive: true, force: true });
    },
  };
}
