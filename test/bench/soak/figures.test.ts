import { expect, it } from 'vitest';
import { judge } from '../report.ts';
import { type SoakRun, soakFigures } from './figures.ts';
import type { Holdings } from './metrics.ts';

const rest: Holdings = {
  memory: 150,
  heap: 60,
  resources: { Timeout: 3, TCPSocketWrap: 11 },
  pool: { busy: 0, idle: 10, waiting: 0 },
};
const UP_AT = 1_000_000;

const sound: SoakRun = {
  before: rest,
  after: rest,
  samples: Array.from({ length: 40 }, (_, index) => ({ ...rest, at: index * 2_000, memory: 200 })),
  answers: {
    good: 80_000,
    goodBySecond: Array.from({ length: 80 }, () => 1_000),
    aborted: 800,
    failed: { '503 pool_exhausted': 40 },
    lastFailureAt: UP_AT + 2_000,
  },
  upAt: UP_AT,
  minutes: 1,
};

const missed = (run: SoakRun): string[] =>
  soakFigures(run)
    .map(judge)
    .filter(({ isMet }) => isMet === false)
    .map(({ name }) => name);

it('meets every target if the service holds what it held before', () => {
  expect(missed(sound)).toEqual([]);
});

it.each<[string, Partial<SoakRun>]>([
  ['memory, most', { samples: sound.samples.map((sample) => ({ ...sample, memory: 301 })) }],
  [
    'memory, growth from the second quarter to the last',
    { samples: sound.samples.map((sample, index) => ({ ...sample, memory: 100 + index * 2 })) },
  ],
  [
    'sockets and timers left over, most of a kind',
    { after: { ...rest, resources: { ...rest.resources, Timeout: 6 } } },
  ],
  [
    'database connections busy or waited for at rest',
    { after: { ...rest, pool: { busy: 1, idle: 9, waiting: 0 } } },
  ],
  [
    'errors other than documented 503s',
    { answers: { ...sound.answers, failed: { '500 internal_error': 1, '503 pool_exhausted': 9 } } },
  ],
  ['last error after the database was up', { answers: { ...sound.answers, lastFailureAt: UP_AT + 16_000 } }],
  [
    'dossiers in the last quarter',
    {
      answers: {
        ...sound.answers,
        goodBySecond: sound.answers.goodBySecond.map((count, second) => (second < 60 ? count : 700)),
      },
    },
  ],
])('misses a target: %s', (name, changed) => {
  expect(missed({ ...sound, ...changed })).toEqual([name]);
});
