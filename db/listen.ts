import { once } from 'node:events';
import { Client, escapeIdentifier } from 'pg';
import type { Logger } from 'pino';
import { pause } from '../infra/runtime/retry.ts';

const RECONNECT_MS = 1_000;
const CONNECT_MS = 5_000;

export interface ListenOptions {
  readonly databaseUrl: string;
  /** Of the session, in pg_stat_activity. */
  readonly name: string;
  readonly channels: readonly string[];
  readonly log: Logger;
  /** Ends the listening. */
  readonly signal: AbortSignal;
  readonly onNotification: (channel: string) => void;
  /** Called after each connect: notifications sent before it were missed. */
  readonly onListening: () => void;
}

/** Listens on channels of the database and reconnects until the signal aborts. */
export async function listen({ channels, log, signal, ...options }: ListenOptions): Promise<void> {
  while (!signal.aborted) {
    const client = new Client({
      connectionString: options.databaseUrl,
      application_name: `linernotes ${options.name}`,
      keepAlive: true,
      connectionTimeoutMillis: CONNECT_MS,
    });
    const broken = new AbortController();
    // A broken connection may emit several errors.
    client.on('error', () => broken.abort());
    client.on('end', () => broken.abort());
    client.on('notification', ({ channel }) => options.onNotification(channel));
    try {
      await client.connect();
      for (const channel of channels) await client.query(`listen ${escapeIdentifier(channel)}`);
      options.onListening();
      const ended = AbortSignal.any([signal, broken.signal]);
      if (!ended.aborted) await once(ended, 'abort');
    } catch (error) {
      log.warn({ err: error, channels }, 'cannot listen for notifications; polling meanwhile');
    } finally {
      await client.end().catch(() => {});
    }
    if (!signal.aborted) await pause(RECONNECT_MS, signal);
  }
}
