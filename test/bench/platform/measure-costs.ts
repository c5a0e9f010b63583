import { mean } from '../interleave.ts';
import type { BenchOptions } from '../options.ts';
import type { HttpLoad, LoadResult } from '../processes/load-generator.ts';
import type { Worker } from '../processes/program.ts';
import { processorNote, type Timed, withProcessorTime } from '../processes/timed.ts';
import type { Figure } from '../report.ts';
import { percentile } from '../statistics.ts';
import type { Subject, Subjects } from './subjects.ts';

const WARM_UP_SECONDS = 2;
const ROUNDS = 8;
/** What the platform may cost at most, as the share of the rate that must be left. */
const LEAST_IN_PROCESS = 0.8;
const LEAST_SHARED = 0.65;
const BARE = 'the same without keys, limits, ids and metrics';

interface Costs {
  readonly options: BenchOptions;
  readonly key: string;
  readonly subjects: Subjects;
  readonly generator: Worker<HttpLoad, LoadResult>;
}

type Round = Timed<LoadResult>;

/** Dossiers from each of the services by turns. */
export async function measureCosts(costs: Costs): Promise<Figure[]> {
  const { bare, inProcess, shared } = costs.subjects;
  const rounds = new Map<Subject, Round[]>([bare, inProcess, shared].map((subject) => [subject, []]));
  for (const subject of rounds.keys()) await measure(costs, subject, { seconds: WARM_UP_SECONDS, seed: 0 });
  for (let round = 1; round <= ROUNDS; round++)
    for (const [subject, measured] of rounds)
      measured.push(await measure(costs, subject, { seconds: costs.options.seconds / ROUNDS, seed: round }));
  const roundsOf = (subject: Subject): readonly Round[] => rounds.get(subject) ?? [];
  const ceiling = { name: BARE, value: rateOf(roundsOf(bare)) };
  const figure = (name: string, subject: Subject, least: number): Figure => ({
    name,
    value: rateOf(roundsOf(subject)),
    unit: '/s',
    ceiling,
    target: { least },
    note: `${processorNote(roundsOf(subject))} against ${processorNote(roundsOf(bare))} a request; p99 ${latencyOf(roundsOf(subject))} against ${latencyOf(roundsOf(bare))} ms`,
  });
  return [
    figure('dossiers, limits in the process', inProcess, LEAST_IN_PROCESS),
    figure('dossiers, limits in Redis', shared, LEAST_SHARED),
  ];
}

const measure = (
  { options, key, generator }: Costs,
  { port, pid }: Subject,
  { seconds, seed }: Pick<HttpLoad, 'seconds' | 'seed'>,
): Promise<Round> =>
  withProcessorTime(pid, () =>
    generator.run({
      port,
      seconds,
      seed,
      artists: options.artists,
      connections: options.connections,
      by: 'cluster',
      headers: { 'x-api-key': key, 'accept-encoding': 'gzip' },
      etags: null,
      expectedStatus: 200,
    }),
  );

const rateOf = (rounds: readonly Round[]): number => mean(rounds.map(({ perSecond }) => perSecond));

const latencyOf = (rounds: readonly Round[]): string =>
  percentile(
    rounds.flatMap(({ latencies }) => Array.from(latencies)),
    0.99,
  ).toFixed(1);
