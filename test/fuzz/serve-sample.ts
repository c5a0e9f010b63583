import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { connect } from '../../db/connect.ts';
import { freePort } from '../../infra/embedded/free-port.ts';
import { onSuddenEnd } from '../../infra/embedded/processes.ts';
import { databaseUrl } from '../../infra/ops/database.ts';
import { DEFAULT_RATE_LIMITS } from '../../services/http/limits/tiers.ts';
import { issueKey } from '../../services/query/keys/keys.ts';
import { startQueryService } from '../../services/query/server.ts';
import { cacheFolder } from './cache-folder.ts';

const START = fileURLToPath(new URL('../../infra/start/main.ts', import.meta.url));
const UNLIMITED = { perKey: 10_000_000, perAddress: 10_000_000 };

export interface ServedSample {
  readonly url: string;
  readonly key: string;
  stop(): Promise<void>;
}

/**
 * Serves the bundled sample without limits, concurrently with all that `npm start` runs. Later runs reuse the database.
 */
export async function serveSample(): Promise<ServedSample> {
  process.env.LINERNOTES_HOME = path.join(cacheFolder(), 'fuzz');
  const started = spawn(process.execPath, [START], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, PORT: String(await freePort()) },
  });
  const forget = onSuddenEnd(() => started.kill('SIGTERM'));
  const end = async (): Promise<void> => {
    forget();
    if (started.exitCode !== null || started.signalCode !== null) return;
    const exited = once(started, 'exit');
    started.kill('SIGTERM');
    await exited;
  };
  try {
    await untilReady(started);
    const url = await databaseUrl();
    const service = await startQueryService({
      databaseUrl: url,
      port: 0,
      limits: { ...DEFAULT_RATE_LIMITS, ...UNLIMITED },
      log: pino({ level: 'error' }, pino.destination(2)),
    });
    return {
      url: service.url,
      key: await unlimitedKey(url),
      stop: async () => {
        await service.stop();
        await end();
      },
    };
  } catch (error) {
    await end();
    throw error;
  }
}

async function untilReady({ stdout }: ChildProcess): Promise<void> {
  if (stdout === null) throw new Error('npm start has no output');
  for await (const line of createInterface({ input: stdout })) if (line.startsWith('ready ')) return;
  throw new Error('npm start ended before it was ready');
}

async function unlimitedKey(url: string): Promise<string> {
  const pool = connect(url, 'fuzz', { max: 1 });
  try {
    const given = { environment: 'test', label: 'fuzz', tier: 'unlimited', expiresAt: null } as const;
    return (await issueKey(pool, given)).key;
  } finally {
    await pool.end();
  }
}
