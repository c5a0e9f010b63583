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

it.each([
  [[], 'name one benchmark'],
  [['read', 'ingest'], 'name one benchmark'],
  [['read', '--seconds', '0'], '--seconds'],
  [['read', '--artists', '1e5'], '--artists'],
  [['identity', '--recordings', '-1'], 'recordings'],
  [['read', '--unknown'], 'unknown'],
])('refuses %j', (args, message) => {
  expect(() => readOptions(args)).toThrow(message);
});
