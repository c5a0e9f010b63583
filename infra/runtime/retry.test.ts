import { pino } from 'pino';
import { afterEach, expect, it, vi } from 'vitest';
import { backoffMs, retry, retryForever } from './retry.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const backoff = { firstMs: 100, maxMs: 10_000 };
const HASTE = { firstMs: 2, maxMs: 10 };

it.each([
  [1, 100],
  [2, 200],
  [4, 800],
  [8, 10_000],
  [1_000, 10_000],
])('doubles the longest pause: after %i failures %i ms', (failures, longest) => {
  const random = vi.spyOn(Math, 'random');
  random.mockReturnValue(1);
  expect(backoffMs(failures, backoff)).toBe(longest);
  random.mockReturnValue(0);
  expect(backoffMs(failures, backoff)).toBe(longest / 2);
});

it('retries until the work succeeds, with growing pauses', async () => {
  const pauses: number[] = [];
  let tries = 0;
  const result = await retry(
    async () => {
      if (++tries <= 3) throw new TypeError(`unavailable ${tries}`);
      return 'connected';
    },
    {
      backoff: HASTE,
      onFailure({ error, failures, retryMs }) {
        expect([error, failures]).toEqual([new TypeError(`unavailable ${tries}`), tries]);
        pauses.push(retryMs);
      },
    },
  );
  expect(result).toBe('connected');
  expect(pauses).toHaveLength(3);
  for (const [index, retryMs] of pauses.entries()) {
    expect(retryMs).toBeGreaterThanOrEqual(2 ** index);
    expect(retryMs).toBeLessThanOrEqual(2 ** (index + 1));
  }
});

it('throws an error that is not retryable, and the last one when no retry is left', async () => {
  const fatal = vi.fn().mockRejectedValue(new Error('fatal'));
  await expect(retry(fatal, { backoff, isRetryable: () => false })).rejects.toThrow('fatal');
  expect(fatal).toHaveBeenCalledTimes(1);
  const failing = vi.fn().mockRejectedValue(new Error('still locked'));
  await expect(retry(failing, { backoff: HASTE, retries: 2 })).rejects.toThrow('still locked');
  expect(failing).toHaveBeenCalledTimes(3);
});

it('ends during a pause with the reason of the abort', async () => {
  const ending = new AbortController();
  const trying = retry(() => Promise.reject(new Error('unavailable')), {
    backoff: { firstMs: 60_000, maxMs: 60_000 },
    signal: ending.signal,
    onFailure: () => setImmediate(() => ending.abort(new Error('stopped'))),
  });
  await expect(trying).rejects.toThrow('stopped');
});

it('returns the result of an attempt that was running when the signal aborted', async () => {
  const ending = new AbortController();
  const acquired = retry(
    async () => {
      ending.abort(new Error('stopped'));
      return 'a connection';
    },
    { backoff, signal: ending.signal },
  );
  expect(await acquired).toBe('a connection');
});

function collectLog() {
  const lines: { msg: string; failures: number; err: { message: string } }[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  return { lines, log };
}

it('retries without a limit and logs each failure', async () => {
  const { lines, log } = collectLog();
  const work = vi
    .fn()
    .mockRejectedValueOnce(new Error('no route'))
    .mockRejectedValueOnce(new Error('no response'))
    .mockResolvedValue('connected');
  const { signal } = new AbortController();
  expect(await retryForever(work, { signal, log, what: 'reach it' })).toBe('connected');
  expect(lines.map(({ msg, failures, err }) => [msg, failures, err.message])).toEqual([
    ['cannot reach it; retrying', 1, 'no route'],
    ['cannot reach it; retrying', 2, 'no response'],
  ]);
});

it('ends immediately when the signal aborts, during or between attempts', async () => {
  const { lines, log } = collectLog();
  const ending = new AbortController();
  const { signal } = ending;
  const hanging = retryForever(() => new Promise(() => {}), { signal, log, what: 'reach it' });
  const failing = retryForever(() => Promise.reject(new Error('unavailable')), {
    signal,
    log,
    what: 'reach it',
  });
  await expect.poll(() => lines).toHaveLength(1);
  ending.abort();
  expect(await Promise.all([hanging, failing])).toEqual([null, null]);
});
