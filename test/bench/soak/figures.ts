import { mean } from '../interleave.ts';
import type { SoakResponses } from '../processes/soak-load.ts';
import type { Figure } from '../report.ts';
import { median } from '../statistics.ts';
import { lineOf, type TimedHoldings } from './follow.ts';
import { type Holdings, leftOver } from './metrics.ts';

export interface SoakRun {
  /** At rest, after a short load and after the long one. */
  readonly before: Holdings;
  readonly after: Holdings;
  /** Under load, in their order. */
  readonly samples: readonly TimedHoldings[];
  readonly answers: SoakResponses;
  /** When the database was up again, in milliseconds since 1970. */
  readonly upAt: number;
  readonly minutes: number;
}

const MOST_MEMORY_MIB = 300;
const MOST_GROWTH = 0.1;
/** Of each kind: a request for the metrics may be in flight on either side. */
const NOISE = 2;
const MOST_RECOVERY_S = 15;
/** Of the rate before the restart that there must be after it. */
const LEAST_RATE = 0.8;

/** The figures of a soak. */
export function soakFigures(run: SoakRun): Figure[] {
  const { before, after, samples, answers, upAt, minutes } = run;
  const more = leftOver(before, after);
  const undocumented = Object.entries(answers.failed).filter(([what]) => !/^503 \w+$/.test(what));
  const memory = samples.map((sample) => sample.memory);
  return [
    {
      name: 'dossiers',
      value: answers.good / (minutes * 60),
      unit: '/s',
      note: `${answers.good} responses, ${answers.aborted} aborted by the client, ${JSON.stringify(answers.failed)}`,
    },
    {
      name: 'memory, most',
      value: Math.max(...memory),
      unit: 'MiB',
      target: { most: MOST_MEMORY_MIB },
    },
    {
      name: 'memory, growth from the second quarter to the last',
      value: growthOf(memory),
      unit: '',
      target: { most: MOST_GROWTH },
      note: `heap ${before.heap.toFixed(0)} to ${after.heap.toFixed(0)} MiB at rest`,
    },
    {
      name: 'sockets and timers left over, most of a kind',
      value: Math.max(0, ...Object.values(more)),
      unit: '',
      target: { most: NOISE },
      note: `at rest before:${lineOf(before)}; after:${lineOf(after)}`,
    },
    {
      name: 'database connections busy or waited for at rest',
      value: after.pool.busy + after.pool.waiting,
      unit: '',
      target: { most: 0 },
    },
    {
      name: 'errors other than documented 503s',
      value: undocumented.reduce((sum, [, count]) => sum + count, 0),
      unit: '',
      target: { most: 0 },
      note: JSON.stringify(Object.fromEntries(undocumented)),
    },
    {
      name: 'last error after the database was up',
      value: Math.max(0, (answers.lastFailureAt - upAt) / 1_000),
      unit: 's',
      target: { most: MOST_RECOVERY_S },
    },
    {
      name: 'dossiers in the last quarter',
      value: mean(quarterOf(answers.goodBySecond, 3)),
      unit: '/s',
      ceiling: { name: 'the second quarter', value: mean(quarterOf(answers.goodBySecond, 1)) },
      target: { least: LEAST_RATE },
    },
  ];
}

/** How much more the last quarter is than the second, the first being that of growing warm. */
const growthOf = (values: readonly number[]): number =>
  median(quarterOf(values, 3)) / median(quarterOf(values, 1)) - 1;

/** @param quarter from 0 */
function quarterOf(values: readonly number[], quarter: number): readonly number[] {
  const length = Math.floor(values.length / 4);
  return values.slice(quarter * length, (quarter + 1) * length);
}
