import { clusterIdOf } from '../data/artist.ts';
import { type Random, randomOf } from '../data/random.ts';
import { answerJobs } from './answer-jobs.ts';
import { type HttpConnection, openConnection } from './http-connection.ts';

/** Clients that ask for one dossier after another until told to stop, and give up at random. */
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

export interface SoakAnswers {
  readonly good: number;
  /** How many of them came in each second from the first. */
  readonly goodBySecond: readonly number[];
  /** Requests that the client itself broke off. */
  readonly aborted: number;
  /** Everything else that came back, counted by status and code. */
  readonly refused: Readonly<Record<string, number>>;
  /** When the last of those came, in milliseconds since 1970; 0 without one. */
  readonly lastRefusalAt: number;
}

type Start = Extract<SoakJob, { kind: 'start' }>;

/** Of all requests, those that are broken off, half of them before they are sent whole. */
const ABORTED = 0.01;

interface Tally {
  good: number;
  goodBySecond: number[];
  aborted: number;
  refused: Record<string, number>;
  lastRefusalAt: number;
}

const nothing = (): Tally => ({ good: 0, goodBySecond: [], aborted: 0, refused: {}, lastRefusalAt: 0 });

let isEnding = false;
let running: Promise<SoakAnswers> = Promise.resolve(nothing());

/** Answers a start with nothing, a stop with all that came back. */
answerJobs<SoakJob, SoakAnswers>(async (job) => {
  if (job.kind === 'stop') {
    isEnding = true;
    return running;
  }
  isEnding = false;
  running = load(job);
  return nothing();
});

async function load(job: Start): Promise<SoakAnswers> {
  const random = randomOf(job.seed, 0);
  const tally = nothing();
  const start = performance.now();
  const stay = async (): Promise<void> => {
    while (!isEnding) {
      const connection = await openConnection(job.port);
      try {
        while (!isEnding && connection.isOpen() && !random.chance(ABORTED))
          await ask(job, connection, random, tally, start);
        if (!isEnding && connection.isOpen()) await giveUp(job, connection, random, tally);
      } catch (error) {
        refuse(tally, String(error));
      } finally {
        connection.close();
      }
    }
  };
  await Promise.all(Array.from({ length: job.connections }, stay));
  // Seconds in which nothing came count too.
  return { ...tally, goodBySecond: Array.from(tally.goodBySecond, (count) => count ?? 0) };
}

const requestOf = ({ key, artists }: Start, random: Random): string =>
  `GET /api/v2/artist/${clusterIdOf(random.whole(0, artists - 1))} HTTP/1.1\r\nhost: 127.0.0.1\r\nx-api-key: ${key}\r\naccept-encoding: gzip\r\n\r\n`;

async function ask(
  job: Start,
  connection: HttpConnection,
  random: Random,
  tally: Tally,
  start: number,
): Promise<void> {
  const { status, error } = await connection.exchange(requestOf(job, random));
  if (status !== 200) return refuse(tally, `${status} ${codeOf(error)}`);
  tally.good++;
  const second = Math.floor((performance.now() - start) / 1_000);
  tally.goodBySecond[second] = (tally.goodBySecond[second] ?? 0) + 1;
}

function refuse(tally: Tally, what: string): void {
  tally.refused[what] = (tally.refused[what] ?? 0) + 1;
  tally.lastRefusalAt = Date.now();
}

function codeOf(text: string | null): string {
  try {
    return String(JSON.parse(text ?? '').error);
  } catch {
    return `without a code: ${text?.slice(0, 80)}`;
  }
}

async function giveUp(job: Start, connection: HttpConnection, random: Random, tally: Tally): Promise<void> {
  const request = requestOf(job, random);
  const sent = random.chance(0.5) ? request : request.slice(0, random.whole(1, request.length - 1));
  // It is never answered, as nobody waits for it.
  connection.exchange(sent).catch(() => {});
  // As far as a few turns of the service's loop.
  for (let turns = random.whole(0, 20); turns > 0; turns--)
    await new Promise<void>((resolve) => setImmediate(resolve));
  tally.aborted++;
}
