import { mean } from '../interleave.ts';
import type { BenchOptions } from '../options.ts';
import type { Worker } from '../processes/program.ts';
import type { QueryServiceProcess } from '../processes/query-service.ts';
import type { ResolveLoad, ResolveLoadResult } from '../processes/resolve-load.ts';
import { processorNote, type Timed, withProcessorTime } from '../processes/timed.ts';
import { step } from '../progress.ts';
import type { Figure } from '../report.ts';
import { percentile } from '../statistics.ts';
import { type AskedBy, askedBy, type Catalogue } from './locators.ts';

/** The service under measurement, and the client that sends the requests. */
export interface IdentityStage {
  readonly options: BenchOptions;
  readonly catalogue: Catalogue;
  readonly service: QueryServiceProcess;
  readonly key: string;
  readonly generator: Worker<ResolveLoad, ResolveLoadResult>;
}

const WARM_UP_SECONDS = 2;
const ROUNDS = 4;
const BATCH = 100;
const MOST_ABOVE_EMPTY_MS = 5;
const MOST_BATCH_MS = 25;

/** Requests of every kind, so that the first to be measured meets a service as warm as the last does. */
export async function warmUp(stage: IdentityStage): Promise<void> {
  for (const what of ['empty route', ...askedBy] as const)
    await runLoad(stage, { what, connections: stage.options.connections, seconds: WARM_UP_SECONDS, seed: 0 });
}

interface Measured {
  readonly by: AskedBy;
  readonly empty: Timed<ResolveLoadResult>[];
  readonly asked: Timed<ResolveLoadResult>[];
}

/**
 * Requests with each kind of locator, after requests to a route that does nothing. The kinds take turns too: otherwise
 * a slow minute of the machine would fall on one kind only.
 */
export async function measureLocators(stage: IdentityStage): Promise<Figure[]> {
  const { seconds, connections } = stage.options;
  const measured: Measured[] = askedBy.map((by) => ({ by, empty: [], asked: [] }));
  for (let round = 1; round <= ROUNDS; round++) {
    await step(`every kind of locator, ${round} of ${ROUNDS}`, async () => {
      for (const { by, empty, asked } of measured) {
        const load = { connections, seconds: seconds / ROUNDS, seed: round };
        empty.push(await runLoad(stage, { ...load, what: 'empty route' }));
        asked.push(await runLoad(stage, { ...load, what: by }));
      }
    });
  }
  return measured.map((kind) => locatorFigure(kind, connections));
}

function locatorFigure({ by, empty, asked }: Measured, connections: number): Figure {
  return {
    name: `by ${by}: p95 above an empty route`,
    value: percentile(latenciesOf(asked), 0.95) - percentile(latenciesOf(empty), 0.95),
    unit: 'ms',
    // A name without an artist starts a search for similar names, which is another kind of work.
    ...(by === 'unknown' || by === 'near' ? {} : { target: { most: MOST_ABOVE_EMPTY_MS } }),
    note: `${noteOf(asked)}; empty route ${noteOf(empty)}; ${connections} connections`,
  };
}

/** Requests with many locators each, one after the other. */
export async function measureBatch(stage: IdentityStage): Promise<Figure> {
  const load = { what: 'batch', connections: 1 } as const;
  await runLoad(stage, { ...load, seconds: WARM_UP_SECONDS, seed: 0 });
  const result = await runLoad(stage, { ...load, seconds: stage.options.seconds / 2, seed: 1 });
  return {
    name: `batch of ${BATCH} locators of every kind: p95`,
    value: percentile(result.latencies, 0.95),
    unit: 'ms',
    target: { most: MOST_BATCH_MS },
    note: `${noteOf([result])}; one at a time; one locator in eight is a name without an artist`,
  };
}

function runLoad(
  { service, key, catalogue, generator }: IdentityStage,
  given: Pick<ResolveLoad, 'what' | 'connections' | 'seconds' | 'seed'>,
): Promise<Timed<ResolveLoadResult>> {
  const load = { ...given, port: service.port, key, batch: BATCH, catalogue };
  return withProcessorTime(service.pid, () => generator.run(load));
}

const latenciesOf = (results: readonly ResolveLoadResult[]): number[] =>
  results.flatMap(({ latencies }) => Array.from(latencies));

function noteOf(results: readonly Timed<ResolveLoadResult>[]): string {
  const latencies = latenciesOf(results);
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => percentile(latencies, share).toFixed(1));
  const perSecond = Math.round(mean(results.map((result) => result.perSecond)));
  return `p50 ${p50}, p95 ${p95}, p99 ${p99} ms, ${perSecond}/s, processor ${processorNote(results)}`;
}
