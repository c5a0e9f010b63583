import { expect, it } from 'vitest';
import { persist } from './persist.ts';

it('tries until it works, with pauses that grow', async () => {
  const pauses: number[] = [];
  let tries = 0;
  const result = await persist(
    async () => {
      if (++tries <= 3) throw new Error(`away ${tries}`);
      return 'there';
    },
    new AbortController().signal,
    (error, retryMs) => {
      expect(error).toEqual(new Error(`away ${tries}`));
      pauses.push(retryMs);
    },
  );
  expect(result).toBe('there');
  expect(
    pauses.map((retryMs, index) => retryMs / (100 * 2 ** index)).every((share) => share >= 0.5 && share <= 1),
  ).toBe(true);
  expect(pauses.length).toBe(3);
});

it('ends in the middle of a pause when it is told to', async () => {
  const ending = new AbortController();
  const trying = persist(
    async () => {
      throw new Error('away');
    },
    ending.signal,
    () => ending.abort(new Error('told to end')),
  );
  await expect(trying).rejects.toThrow('told to end');
});

it('hands over what an attempt got while it was told to end', async () => {
  const ending = new AbortController();
  const got = persist(
    async () => {
      ending.abort(new Error('told to end'));
      return 'a connection';
    },
    ending.signal,
    () => {},
  );
  expect(await got).toBe('a connection');
});
