import { expect, it } from 'vitest';
import { readOptions } from './options.ts';

it('takes the defaults and what is given', () => {
  const { bench, options } = readOptions(['read', '--artists', '5000', '--sweep']);
  expect(bench).toBe('read');
  expect(options).toMatchObject({
    artists: 5_000,
    recordings: 500_000,
    seconds: 16,
    connections: 64,
    sweep: true,
    json: null,
  });
});

it('takes a stage of the benchmark', () => {
  expect(readOptions(['ingest', '--only', 'sink']).options.only).toBe('sink');
});

it.each([
  [[], "missing required argument 'benchmark'"],
  [['read', 'ingest'], 'too many arguments'],
  [['reed'], 'Allowed choices are read, ingest'],
  [['read', '--seconds', '0'], '--seconds'],
  [['read', '--artists', '1e5'], '--artists'],
  [['identity', '--recordings', '-1'], '--recordings'],
  [['read', '--unknown'], '--unknown'],
  [['ingest', '--only', 'fairness'], 'ingest has no stage fairness (ingest: changes, load, sink; platform'],
])('ends with code 2 and the usage for %j', (args, message) => {
  const printed: string[] = [];
  const exit = (code: number): never => {
    throw new Error(`exit ${code}`);
  };
  expect(() => readOptions(args, exit, (text) => printed.push(text))).toThrow('exit 2');
  expect(printed.join('')).toContain(message);
  expect(printed.join('')).toContain('Usage: npm run bench --');
});
