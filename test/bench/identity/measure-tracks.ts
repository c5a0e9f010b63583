import { type Random, randomOf } from '../data/random.ts';
import { type HttpConnection, openConnection } from '../processes/http-connection.ts';
import { step } from '../progress.ts';
import type { Figure } from '../report.ts';
import { percentile } from '../statistics.ts';
import type { IdentityStage } from './measure.ts';
import { type BenchTrack, trackOf } from './tracks.ts';

const WARM_UP_SECONDS = 2;
const BATCH = 50;
const CHECKED = 20;
const MOST_MS = { whole: 10, part: 60, worst: 1_000, batch: 15 };

/** Parts that many titles have, or nearly have, or of which the index knows next to nothing. */
const WORST_PARTS: readonly string[] = [
  'the',
  'ing',
  'ea ',
  'aaa',
  'thethethe',
  'a-b',
  'e f',
  'e t',
  'u (',
  'n’t',
  '...',
  'ou ai',
  'n r s t',
  '???',
  'original mix',
  'original mix)!',
  'ainoundeestai',
  'ea ou ai ee '.repeat(20).slice(0, 200),
  'x'.repeat(200),
];

/** How long tracks take to be found: by title, by a part of it, many at a time. */
export async function* measureTracks(stage: IdentityStage): AsyncGenerator<Figure> {
  await step('checking tracks', () => checkTracks(stage));
  const random = randomOf(stage.options.seed, 11);
  const track = (): BenchTrack => trackOf(random.whole(0, stage.options.tracks - 1));
  yield await measure(stage, {
    name: 'tracks by whole title: p95',
    most: MOST_MS.whole,
    next: () => get({ title: track().title, source: 'all' }),
  });
  yield await measure(stage, {
    name: 'tracks by a part of a title: p95',
    most: MOST_MS.part,
    next: () => get({ title: partOf(track().title, random), fuzzy: 'true', source: 'all' }),
  });
  yield await measureWorst(stage);
  yield await measure(stage, {
    name: `lengths of ${BATCH} tracks in one request: p95`,
    most: MOST_MS.batch,
    next: () => post({ tracks: Array.from({ length: BATCH }, (_, index) => asked(track(), index)) }),
  });
}

/** Four letters to twelve from anywhere within the title, or all of a shorter one. */
function partOf(title: string, random: Random): string {
  const length = random.whole(4, 12);
  const from = random.whole(0, Math.max(0, title.length - length));
  return title
    .slice(from, from + length)
    .trim()
    .padEnd(3, 'a');
}

/** As players know them: with another version's name, without the artist, or misspelt. */
function asked({ credit, title }: BenchTrack, index: number): { artist: string | null; title: string } {
  if (index % 10 === 9) return { artist: null, title };
  if (index % 10 === 8) return { artist: credit, title: `${title}s` };
  return { artist: credit, title: index % 2 === 0 ? title : `${title} (Radio Edit)` };
}

/** Method, path and what follows the head of a request. */
interface Request {
  readonly line: string;
  readonly body: string;
}

const get = (query: Readonly<Record<string, string>>): Request => ({
  line: `GET /api/v2/tracks?${new URLSearchParams(query)}`,
  body: '',
});

/** Letters beyond ASCII are escaped, so that characters are bytes. */
const post = (payload: object): Request => ({
  line: 'POST /api/v2/tracks/resolve',
  body: JSON.stringify(payload).replaceAll(
    /[^\p{ASCII}]/gu,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  ),
});

interface Series {
  readonly name: string;
  readonly most: number;
  readonly next: () => Request;
}

async function measure(stage: IdentityStage, { name, most, next }: Series): Promise<Figure> {
  const latencies = await step(name, () =>
    withConnection(stage, async (send) => {
      await during(WARM_UP_SECONDS, () => send(next()));
      return during(stage.options.seconds, () => send(next()));
    }),
  );
  return {
    name,
    value: percentile(latencies, 0.95),
    unit: 'ms',
    target: { most },
    note: `${noteOf(latencies)}; one at a time`,
  };
}

/** The longest time of any title, each requested twice in a row. */
async function measureWorst(stage: IdentityStage): Promise<Figure> {
  const name = 'the worst parts of titles: longest';
  const latencies = await step(name, () =>
    withConnection(stage, async (send) => {
      const taken: number[] = [];
      for (const title of [...WORST_PARTS, ...WORST_PARTS]) {
        for (const source of ['mb', 'storefront', 'all'])
          taken.push(await send(get({ title, fuzzy: 'true', source, limit: '50' })));
      }
      return taken;
    }),
  );
  return {
    name,
    value: Math.max(...latencies),
    unit: 'ms',
    target: { most: MOST_MS.worst },
    note: `${noteOf(latencies)}; one at a time`,
  };
}

type Send = (request: Request) => Promise<number>;

/** Returns a function that sends a request and resolves to its duration in milliseconds. */
async function withConnection<T>(
  { service, key }: IdentityStage,
  work: (send: Send) => Promise<T>,
): Promise<T> {
  const connection = await openConnection(service.port);
  try {
    return await work((request) => timed(connection, key, request));
  } finally {
    connection.close();
  }
}

async function timed(connection: HttpConnection, key: string, { line, body }: Request): Promise<number> {
  const more = body === '' ? '' : `content-type: application/json\r\ncontent-length: ${body.length}\r\n`;
  const sent = performance.now();
  const { status } = await connection.exchange(
    `${line} HTTP/1.1\r\nhost: 127.0.0.1\r\nx-api-key: ${key}\r\n${more}\r\n${body}`,
  );
  if (status !== 200) throw new Error(`${line} got ${status}`);
  return performance.now() - sent;
}

async function during(seconds: number, ask: () => Promise<number>): Promise<number[]> {
  const taken: number[] = [];
  const end = performance.now() + seconds * 1_000;
  while (performance.now() < end) taken.push(await ask());
  return taken;
}

async function checkTracks({ service, key, options }: IdentityStage): Promise<void> {
  for (let checked = 0; checked < CHECKED; checked++) {
    const { artist, credit, title } = trackOf(Math.floor((checked / CHECKED) * options.tracks));
    const read = async (path: string, query: Readonly<Record<string, string>>): Promise<string> => {
      const url = `http://127.0.0.1:${service.port}${path}?${new URLSearchParams(query)}`;
      return (await fetch(url, { headers: { 'x-api-key': key } })).text();
    };
    const resolved = await read('/api/v2/tracks/resolve', { artist: credit, title });
    if (JSON.parse(resolved).results[0]?.confidence !== 1) throw new Error(`${title}: ${resolved}`);
    for (const fuzzy of ['false', 'true']) {
      const found = await read('/api/v2/tracks', { title, fuzzy, source: 'all', limit: '50' });
      const { truncated, count, results } = JSON.parse(found);
      const isThere = results.some(({ clusterId }: { clusterId: string }) => clusterId === artist);
      if (!isThere && !truncated && count < 50) throw new Error(`${title}: ${found}`);
    }
  }
}

function noteOf(latencies: readonly number[]): string {
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => percentile(latencies, share).toFixed(1));
  return `p50 ${p50}, p95 ${p95}, p99 ${p99}, longest ${Math.max(...latencies).toFixed(1)} ms, ${latencies.length} requests`;
}
