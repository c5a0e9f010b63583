import { pino } from 'pino';
import { expect, it, vi } from 'vitest';
import { untilItWorks } from './until-it-works.ts';

function heard() {
  const lines: { msg: string; failures: number; err: { message: string } }[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  return { lines, log };
}

it('tries until it works, and says each time why not', async () => {
  const { lines, log } = heard();
  const work = vi
    .fn()
    .mockRejectedValueOnce(new Error('no route'))
    .mockRejectedValueOnce(new Error('no answer'))
    .mockResolvedValue('there');
  const { signal } = new AbortController();
  expect(await untilItWorks(work, { signal, log, what: 'reach it' })).toBe('there');
  expect(lines.map(({ msg, failures, err }) => [msg, failures, err.message])).toEqual([
    ['cannot reach it; waiting', 1, 'no route'],
    ['cannot reach it; waiting', 2, 'no answer'],
  ]);
});

it('ends at once when it is told to, in the middle of a try or between two', async () => {
  const { lines, log } = heard();
  const ending = new AbortController();
  const hanging = untilItWorks(() => new Promise(() => {}), { signal: ending.signal, log, what: 'reach it' });
  const failing = untilItWorks(() => Promise.reject(new Error('away')), {
    signal: ending.signal,
    log,
    what: 'reach it',
  });
  await vi.waitFor(() => expect(lines).toHaveLength(1));
  ending.abort();
  expect(await Promise.all([hanging, failing])).toEqual([null, null]);
});
