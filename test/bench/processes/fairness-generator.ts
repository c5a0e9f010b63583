import { setTimeout as pause } from 'node:timers/promises';
import { clusterIdOf } from '../data/artist.ts';
import { randomOf } from '../data/random.ts';
import { handleJobs } from './handle-jobs.ts';
import { openConnection } from './http-connection.ts';

/** The clients of one key: modest ones read a dossier now and then, greedy ones the costliest reads without a pause. */
export interface Fairness {
  readonly port: number;
  readonly key: string;
  readonly isGreedy: boolean;
  readonly connections: number;
  readonly seconds: number;
  readonly artists: number;
  readonly seed: number;
}

export interface FairnessResult {
  /** Milliseconds to each response. */
  readonly latencies: Float64Array;
  /** Responses by status. */
  readonly statuses: Readonly<Record<string, number>>;
}

/** Between two requests of a modest client. */
const REST_MS = 10;
/** A greedy client that is turned away asks again after this. */
const TURNED_AWAY_MS = 20;

handleJobs<Fairness, FairnessResult>(async ({ port, key, isGreedy, connections, seconds, artists, seed }) => {
  const random = randomOf(seed, 0);
  const cluster = (): string => clusterIdOf(random.whole(0, artists - 1));
  const head = (line: string, more = ''): string =>
    `${line} HTTP/1.1\r\nhost: 127.0.0.1\r\nx-api-key: ${key}\r\naccept-encoding: gzip\r\n${more}\r\n`;
  const body = JSON.stringify({ locators: Array.from({ length: 100 }, () => ({ cluster: cluster() })) });
  const length = `content-type: application/json\r\ncontent-length: ${body.length}\r\n`;
  const worst = [
    `${head('POST /api/v2/resolve/batch', length)}${body}`,
    head('GET /api/v2/search?q=the'),
    head('GET /api/v2/facets'),
    head('GET /api/v2/tracks?title=the&fuzzy=true&source=all&limit=50'),
  ];
  const latencies: number[] = [];
  const statuses: Record<string, number> = {};
  const end = performance.now() + seconds * 1_000;

  const ask = async (first: number): Promise<void> => {
    const connection = await openConnection(port);
    for (let count = first; performance.now() < end && connection.isOpen(); count++) {
      const sent = performance.now();
      const request = isGreedy
        ? (worst[count % worst.length] as string)
        : head(`GET /api/v2/artist/${cluster()}`);
      const { status } = await connection.exchange(request);
      latencies.push(performance.now() - sent);
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (!isGreedy) await pause(REST_MS);
      else if (status >= 400) await pause(TURNED_AWAY_MS);
    }
    connection.close();
  };

  await Promise.all(Array.from({ length: connections }, (_, index) => ask(index)));
  return { latencies: Float64Array.from(latencies), statuses };
});
