import { setTimeout as pause } from 'node:timers/promises';
import { clusterIdOf } from '../data/artist.ts';
import { type Random, randomOf } from '../data/random.ts';
import { toSlug, uniqueName } from '../data/words.ts';
import { trackOf } from '../identity/tracks.ts';
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
  /** Responses by status, those of a greedy client with their route. */
  readonly statuses: Readonly<Record<string, number>>;
}

/** The server may close a connection after a rejection. */
const CLOSED = 'closed' as const;
/** Between two requests of a modest client. */
const REST_MS = 10;
/** A greedy client that is turned away asks again after this. */
const TURNED_AWAY_MS = 20;

const get = (path: string): Omit<WorstRequest, 'name'> => ({ line: `GET ${path}`, body: '' });
const post = (path: string, body: object): Omit<WorstRequest, 'name'> => ({
  line: `POST ${path}`,
  // Characters beyond ASCII would have several bytes.
  body: JSON.stringify(body).replaceAll(/[^\p{ASCII}]/gu, '?'),
});

interface WorstRequest {
  /** Of the route, in the statuses of a greedy client. */
  readonly name: string;
  readonly line: string;
  /** Its characters are bytes. */
  readonly body: string;
}

/** The costliest requests of each costly route; the number of artists decides which names exist. */
function worstRequests(random: Random, artists: number): readonly WorstRequest[] {
  const cluster = (): string => clusterIdOf(random.whole(0, artists - 1));
  return [
    {
      name: 'batch',
      ...post('/api/v2/resolve/batch', {
        locators: Array.from({ length: 100 }, (_, index) =>
          index % 2 === 0 ? { cluster: cluster() } : { q: `${uniqueName(index)}x` },
        ),
      }),
    },
    { name: 'search', ...get('/api/v2/search?q=the+of&limit=100') },
    { name: 'facets', ...get('/api/v2/facets') },
    { name: 'tracks', ...get('/api/v2/tracks?title=the&fuzzy=true&source=all&limit=50') },
    {
      name: 'tracks/resolve',
      ...post('/api/v2/tracks/resolve', {
        tracks: Array.from({ length: 50 }, (_, number) => {
          const { credit, title } = trackOf(number);
          return { artist: credit, title };
        }),
      }),
    },
    { name: 'artists', ...get('/api/v2/artists?limit=100&offset=400') },
    { name: 'unknown slug', ...get(`/api/v2/artist/${toSlug(uniqueName(random.whole(0, artists)))}-x`) },
    { name: 'dossier', ...get(`/api/v2/artist/${cluster()}`) },
    { name: 'some fields', ...get(`/api/v2/artist/${cluster()}?fields=discography`) },
  ];
}

handleJobs<Fairness, FairnessResult>(async ({ port, key, isGreedy, connections, seconds, artists, seed }) => {
  const random = randomOf(seed, 0);
  const cluster = (): string => clusterIdOf(random.whole(0, artists - 1));
  const textOf = ({ line, body }: Omit<WorstRequest, 'name'>): string => {
    const length = `content-type: application/json\r\ncontent-length: ${body.length}\r\n`;
    const more = body === '' ? '' : length;
    return `${line} HTTP/1.1\r\nhost: 127.0.0.1\r\nx-api-key: ${key}\r\naccept-encoding: gzip\r\n${more}\r\n${body}`;
  };
  const worst = worstRequests(random, artists).map((request) => ({
    name: `${request.name} `,
    text: textOf(request),
  }));
  const latencies: number[] = [];
  const statuses: Record<string, number> = {};
  const end = performance.now() + seconds * 1_000;

  const ask = async (first: number): Promise<void> => {
    let connection = await openConnection(port);
    // A greedy client does not stay for its last response.
    if (isGreedy) setTimeout(() => connection.close(), end - performance.now());
    for (let count = first; performance.now() < end; count++) {
      if (!connection.isOpen()) connection = await openConnection(port);
      const sent = performance.now();
      const { name, text } = isGreedy
        ? (worst[count % worst.length] as (typeof worst)[number])
        : { name: '', text: textOf(get(`/api/v2/artist/${cluster()}`)) };
      const status = await connection.exchange(text).then(
        (response) => response.status,
        () => CLOSED,
      );
      if (status === CLOSED && performance.now() >= end) break;
      latencies.push(performance.now() - sent);
      statuses[`${name}${status}`] = (statuses[`${name}${status}`] ?? 0) + 1;
      if (!isGreedy) await pause(REST_MS);
      else if (status === CLOSED || status >= 400) await pause(TURNED_AWAY_MS);
    }
    connection.close();
  };

  await Promise.all(Array.from({ length: connections }, (_, index) => ask(index)));
  return { latencies: Float64Array.from(latencies), statuses };
});
