import { randomBytes } from 'node:crypto';
import { interleave, mean } from '../interleave.ts';
import type { BenchOptions } from '../options.ts';
import type { ConstantAnswer } from '../processes/constant-server.ts';
import type { HttpLoad, LoadResult } from '../processes/load-generator.ts';
import type { Worker } from '../processes/program.ts';
import type { QueryServiceProcess } from '../processes/query-service.ts';
import { processorNote, withProcessorTime } from '../processes/timed.ts';
import type { Figure } from '../report.ts';
import { percentile } from '../statistics.ts';
import type { ReadCase } from './cases.ts';
import { headOf, type Sample } from './sample.ts';

const WARM_UP_SECONDS = 2;
const MOST_P99_MS = 60;
/** So many that a machine whose speed changes from second to second is as fast for the one as for the other. */
const ROUNDS = 16;

/** What the load is put on, and by. */
export interface ReadStage {
  readonly options: BenchOptions;
  readonly artists: number;
  readonly key: string;
  readonly service: QueryServiceProcess;
  readonly sample: Sample;
  readonly generator: Worker<HttpLoad, LoadResult>;
  readonly constant: Worker<ConstantAnswer, number>;
}

/**
 * Requests of one kind, by turns to the service and to a server of a constant: of the same head, and of a body as large, so
 * that as many bytes are on the wire.
 */
export async function measureCase(readCase: ReadCase, size: string, stage: ReadStage): Promise<Figure[]> {
  const { generator, constant, service, sample } = stage;
  const run = (port: number, seconds: number, seed: number) =>
    generator.run({ ...loadOf(readCase, stage), port, seconds, seed });
  const roundSeconds = stage.options.seconds / ROUNDS;
  const { bodyBytes } = await run(service.port, WARM_UP_SECONDS, 0);
  const head = await headOf(service.port, requestHeaders(readCase, stage));
  const constantPort = await constant.run({
    ...head,
    body: randomBytes(readCase.isConditional ? 0 : Math.round(bodyBytes)),
  });
  await run(constantPort, WARM_UP_SECONDS, 0);
  const { ceilings, subjects } = await interleave(
    ROUNDS,
    (round) => withProcessorTime(constant.pid, () => run(constantPort, roundSeconds, round + 1)),
    (round) => withProcessorTime(service.pid, () => run(service.port, roundSeconds, round + 1)),
  );
  const sizes = readCase.isConditional
    ? 'no body'
    : `${Math.round(bodyBytes)} bytes on the wire, ${Math.round(sample.jsonBytes)} of JSON`;
  const busy = Math.max(...[...ceilings, ...subjects].map((result) => result.busy));
  return [
    {
      name: `${readCase.name}${size}`,
      value: mean(subjects.map(({ perSecond }) => perSecond)),
      unit: '/s',
      ceiling: {
        name: 'Fastify with a constant of as many bytes',
        value: mean(ceilings.map(({ perSecond }) => perSecond)),
      },
      target: { least: readCase.least },
      note: `${sizes}; processor ${processorNote(subjects)} against ${processorNote(ceilings)} a request; load generator ${Math.round(busy * 100)} % of a core`,
    },
    {
      name: `${readCase.name}${size}: p99`,
      value: percentile(latenciesOf(subjects), 0.99),
      unit: 'ms',
      target: { most: MOST_P99_MS },
      note: `p50 ${percentile(latenciesOf(subjects), 0.5).toFixed(1)} ms; p99 of the constant ${percentile(latenciesOf(ceilings), 0.99).toFixed(1)} ms`,
    },
  ];
}

const loadOf = (
  readCase: ReadCase,
  { artists, options, key, sample }: ReadStage,
): Omit<HttpLoad, 'port' | 'seconds' | 'seed'> => ({
  artists,
  connections: options.connections,
  by: readCase.by,
  headers: headersOf(readCase, key),
  etags: readCase.isConditional ? sample.etags : null,
  expectedStatus: readCase.isConditional ? 304 : 200,
});

const headersOf = ({ isGzip }: ReadCase, key: string): Record<string, string> => ({
  'x-api-key': key,
  ...(isGzip ? { 'accept-encoding': 'gzip' } : {}),
});

/** The headers of a request for the first artist. */
const requestHeaders = (readCase: ReadCase, { key, sample }: ReadStage): Record<string, string> => ({
  // What is not said here, the client of this process would say of itself.
  'accept-encoding': 'identity',
  ...headersOf(readCase, key),
  ...(readCase.isConditional ? { 'if-none-match': sample.etags[0] ?? '' } : {}),
});

const latenciesOf = (results: readonly LoadResult[]): number[] =>
  results.flatMap(({ latencies }) => Array.from(latencies));
