import { clusterIdOf } from '../data/artist.ts';
import { type Random, randomOf } from '../data/random.ts';
import { handleJobs } from './handle-jobs.ts';
import { type HttpConnection, openConnection } from './http-connection.ts';

/** Clients that request one dossier after another until they are stopped, and abort at random. */
export type SoakJob =
  | {
      readonly kind: 'start';
      readonly port: number;
      readonly key: string;
      readonly connections: number;
      readonly artists: number;
      readonly seed: number;
    }
  | { readonly kind: 'stop' };

export interface SoakResponses {
  readonly good: number;
  /** How many of them came in each second from the first. */
  readonly goodBySecond: readonly number[];
  /** Requests that the client itself broke off. */
  readonly aborted: number;
  /** Everything else that came back, counted by status and code. */
  readonly failed: Readonly<Record<string, number>>;
  /** When the last of those came, in milliseconds since 1970; 0 without one. */
  readonly lastFailureAt: number;
}

type Start = Extract<SoakJob, { kind: 'start' }>;

/** The share of requests that the client aborts, half of them before they are fully sent. */
const ABORTED = 0.01;

interface Tally {
  good: number;
  goodBySecond: number[];
  aborted: number;
  failed: Record<string, number>;
  lastFailureAt: number;
}

const nothing = (): Tally => ({ good: 0, goodBySecond: [], aborted: 0, failed: {}, lastFailureAt: 0 });

let isEnding = false;
let running: Promise<SoakResponses> = Promise.resolve(nothing());

/** Resolves a start to an empty tally, and a stop to the tally of all responses. */
handleJobs<SoakJob, SoakResponses>(async (job) => {
  if (job.kind === 'stop') {
    isEnding = true;
    return running;
  }
  isEnding = false;
  running = load(job);
  return nothing();
});

async function load(job: Start): Promise<SoakResponses> {
  const random = randomOf(job.seed, 0);
  const tally = nothing();
  const client: Client = { job, random, tally };
  const start = performance.now();
  const stay = async (): Promise<void> => {
    while (!isEnding) {
      const connection = await openConnection(job.port);
      try {
        while (!isEnding && connection.isOpen() && !random.chance(ABORTED))
          await exchange(client, connection, start);
        if (!isEnding && connection.isOpen()) await abort(client, connection);
      } catch (error) {
        fail(tally, String(error));
      } finally {
        connection.close();
      }
    }
  };
  await Promise.all(Array.from({ length: job.connections }, stay));
  // Seconds in which nothing came count too.
  return { ...tally, goodBySecond: Array.from(tally.goodBySecond, (count) => count ?? 0) };
}

interface Client {
  readonly job: Start;
  readonly random: Random;
  readonly tally: Tally;
}

const requestOf = ({ job: { key, artists }, random }: Client): string =>
  `GET /api/v2/artist/${clusterIdOf(random.whole(0, artists - 1))} HTTP/1.1\r\nhost: 127.0.0.1\r\nx-api-key: ${key}\r\naccept-encoding: gzip\r\n\r\n`;

async function exchange(client: Client, connection: HttpConnection, start: number): Promise<void> {
  const { tally } = client;
  const { status, error } = await connection.exchange(requestOf(client));
  if (status !== 200) return fail(tally, `${status} ${codeOf(error)}`);
  tally.good++;
  const second = Math.floor((performance.now() - start) / 1_000);
  tally.goodBySecond[second] = (tally.goodBySecond[second] ?? 0) + 1;
}

function fail(tally: Tally, what: string): void {
  tally.failed[what] = (tally.failed[what] ?? 0) + 1;
  tally.lastFailureAt = Date.now();
}

function codeOf(text: string | null): string {
  try {
    return String(JSON.parse(text ?? '').error);
  } catch {
    return `without a code: ${text?.slice(0, 80)}`;
  }
}

async function abort(client: Client, connection: HttpConnection): Promise<void> {
  const { random, tally } = client;
  const request = requestOf(client);
  const sent = random.chance(0.5) ? request : request.slice(0, random.whole(1, request.length - 1));
  // The client has disconnected: this request gets no response.
  connection.exchange(sent).catch(() => {});
  // Waits for a few turns of the event loop, so that the service may have started on it.
  for (let turns = random.whole(0, 20); turns > 0; turns--)
    await new Promise<void>((resolve) => setImmediate(resolve));
  tally.aborted++;
}
