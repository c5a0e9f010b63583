import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { kafkaClient } from '../../support/services/kafka.ts';
import { clusterIdOf } from '../data/artist.ts';
import { momentumChange } from '../data/changes.ts';
import { sendEvents } from '../ingest/event-log.ts';
import { handleJobs } from './handle-jobs.ts';

/** Reads dossiers at a steady pace, and times single changes until they are served, until it is stopped. */
export type ObserverJob =
  | {
      readonly kind: 'start';
      readonly brokers: string;
      readonly prefix: string;
      readonly port: number;
      readonly key: string;
      readonly seed: number;
      /** Artists that are on file. The last of them are those that the single changes are about. */
      readonly artists: number;
      readonly probes: number;
      readonly readsPerSecond: number;
    }
  | { readonly kind: 'stop' };

export interface Observations {
  readonly reads: number;
  /** Answers other than a whole dossier of the artist that was asked for. */
  readonly failed: number;
  /** When each read began, in milliseconds since 1970, and how many milliseconds it took. */
  readonly readAt: Float64Array;
  readonly readMs: Float64Array;
  /** Milliseconds from sending a change to the first answer that shows it. */
  readonly visibleMs: Float64Array;
  /** What went wrong first. */
  readonly firstFailure: string | null;
}

type Start = Extract<ObserverJob, { kind: 'start' }>;

const PROBE_EVERY_MS = 500;
/** How soon a probe is looked for again: so many milliseconds, or a share of the time it has taken so far. */
const LOOK_AGAIN = { ms: 20, share: 1 / 8 };
const PATIENCE_MS = 60_000;
const NOTHING: Observations = {
  reads: 0,
  failed: 0,
  readAt: new Float64Array(),
  readMs: new Float64Array(),
  visibleMs: new Float64Array(),
  firstFailure: null,
};

let isEnding = false;
let running: Promise<Observations> = Promise.resolve(NOTHING);

handleJobs<ObserverJob, Observations>(async (job) => {
  if (job.kind === 'stop') {
    isEnding = true;
    return running;
  }
  isEnding = false;
  running = watch(job);
  return NOTHING;
});

interface Dossier {
  readonly cluster_id?: string;
  readonly identity?: unknown;
  readonly provenance?: readonly unknown[];
}

async function watch(job: Start): Promise<Observations> {
  const reading = readSteadily(job);
  const probing = probeSteadily(job);
  const [reads, visibleMs] = await Promise.all([reading, probing]);
  return { ...reads, visibleMs: Float64Array.from(visibleMs) };
}

/** Lighter than `fetch`: the observer must use little of the machine. */
const agent = new Agent({ keepAlive: true });

async function ask({ port, key }: Start, index: number): Promise<{ status: number; text: string }> {
  const sent = request({
    agent,
    host: '127.0.0.1',
    port,
    path: `/api/v2/artist/${clusterIdOf(index)}`,
    headers: { 'x-api-key': key, 'accept-encoding': 'gzip' },
  }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const bytes = await buffer(response);
  const isGzip = response.headers['content-encoding'] === 'gzip';
  return { status: response.statusCode ?? 0, text: (isGzip ? gunzipSync(bytes) : bytes).toString() };
}

async function readSteadily(job: Start): Promise<Omit<Observations, 'visibleMs'>> {
  const readAt: number[] = [];
  const readMs: number[] = [];
  let failed = 0;
  let firstFailure: string | null = null;
  const fail = (what: string): void => {
    failed++;
    firstFailure ??= what;
  };
  const read = async (index: number): Promise<void> => {
    const start = performance.now();
    readAt.push(Date.now());
    const place = readMs.push(0) - 1;
    try {
      const { status, text } = await ask(job, index);
      const body: Dossier = JSON.parse(text);
      const isWhole =
        body.cluster_id === clusterIdOf(index) &&
        body.identity !== null &&
        (body.provenance?.length ?? 0) > 20;
      if (status !== 200 || !isWhole) fail(`artist ${index} got ${status}`);
    } catch (error) {
      fail(`artist ${index}: ${error}`);
    }
    readMs[place] = performance.now() - start;
  };
  const start = performance.now();
  const inFlight = new Set<Promise<void>>();
  for (let count = 0; !isEnding; ) {
    for (; count < ((performance.now() - start) / 1_000) * job.readsPerSecond; count++) {
      const one = read((count * 7_919) % job.artists).finally(() => inFlight.delete(one));
      inFlight.add(one);
    }
    await pause(10);
  }
  await Promise.all(inFlight);
  return {
    reads: readAt.length,
    failed,
    firstFailure,
    readAt: Float64Array.from(readAt),
    readMs: Float64Array.from(readMs),
  };
}

/** Numbers beyond those of all other traffic. */
const FIRST_NUMBER = 500_000_000;
let changes = 0;

async function probeSteadily(job: Start): Promise<number[]> {
  const producer = kafkaClient(job.brokers).producer();
  await producer.connect();
  const probe = async (index: number): Promise<number> => {
    const number = FIRST_NUMBER + changes++;
    const start = performance.now();
    await sendEvents(producer, job.prefix, [momentumChange(job.seed, index, number)]);
    while (!(await ask(job, index)).text.includes(`"eventsRecent":${number},`)) {
      // Long enough to miss every target.
      const passedMs = performance.now() - start;
      if (passedMs > PATIENCE_MS) break;
      // The polls must not load the service.
      await pause(Math.max(LOOK_AGAIN.ms, passedMs * LOOK_AGAIN.share));
    }
    return performance.now() - start;
  };
  const seen: number[] = [];
  const busy = new Set<number>();
  const inFlight: Promise<void>[] = [];
  for (let turn = 0; !isEnding; turn++) {
    const index = job.artists - 1 - (turn % job.probes);
    // One change of an artist at a time, or the next would hide it.
    if (!busy.has(index)) {
      busy.add(index);
      inFlight.push(
        probe(index).then((ms) => {
          seen.push(ms);
          busy.delete(index);
        }),
      );
    }
    await pause(PROBE_EVERY_MS);
  }
  await Promise.all(inFlight);
  await producer.disconnect();
  return seen;
}
