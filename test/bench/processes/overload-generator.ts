import { setTimeout as pause } from 'node:timers/promises';
import { clusterIdOf } from '../data/artist.ts';
import { randomOf } from '../data/random.ts';
import { handleJobs } from './handle-jobs.ts';
import { type HttpConnection, openConnection } from './http-connection.ts';

/** Clients that ask for one dossier after another, and rest a little when they are turned away. */
export interface Overload {
  readonly port: number;
  readonly key: string;
  readonly connections: number;
  readonly seconds: number;
  readonly artists: number;
  readonly seed: number;
}

export interface OverloadResult {
  readonly seconds: number;
  /** Milliseconds to each dossier. */
  readonly good: Float64Array;
  /** Milliseconds to each 503. */
  readonly shed: Float64Array;
  /** Everything else that came back, counted by what it was. */
  readonly others: Readonly<Record<string, number>>;
}

/** A tenth of what the service asks for at least: these clients are less patient than they should be. */
const REST_MS = 100;

handleJobs<Overload, OverloadResult>(async ({ port, key, connections, seconds, artists, seed }) => {
  const random = randomOf(seed, 0);
  const tail = ` HTTP/1.1\r\nhost: 127.0.0.1\r\nx-api-key: ${key}\r\naccept-encoding: gzip\r\n\r\n`;
  const good: number[] = [];
  const shed: number[] = [];
  const others: Record<string, number> = {};
  const start = performance.now();
  const end = start + seconds * 1_000;

  const ask = async (connection: HttpConnection): Promise<boolean> => {
    const sent = performance.now();
    const path = `/api/v2/artist/${clusterIdOf(random.whole(0, artists - 1))}`;
    const { status, error } = await connection.exchange(`GET ${path}${tail}`);
    const ms = performance.now() - sent;
    if (status === 200) good.push(ms);
    else if (status === 503) shed.push(ms);
    else others[`${status} ${error}`] = (others[`${status} ${error}`] ?? 0) + 1;
    return status === 200;
  };

  /** A connection that the service closes is opened again. */
  const stay = async (): Promise<void> => {
    while (performance.now() < end) {
      const connection = await openConnection(port);
      try {
        while (performance.now() < end && connection.isOpen())
          if (!(await ask(connection))) await pause(REST_MS);
      } catch (error) {
        others[String(error)] = (others[String(error)] ?? 0) + 1;
      } finally {
        connection.close();
      }
    }
  };
  await Promise.all(Array.from({ length: connections }, stay));
  return {
    seconds: (performance.now() - start) / 1_000,
    good: Float64Array.from(good),
    shed: Float64Array.from(shed),
    others,
  };
});
