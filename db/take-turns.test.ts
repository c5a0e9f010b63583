import { expect, it } from 'vitest';
import { takeTurns } from './take-turns.ts';

it('lets so much be under way at a time, in the order in which it came', async () => {
  const inTurn = takeTurns(2);
  const begun: number[] = [];
  const ends = Array.from({ length: 5 }, () => Promise.withResolvers<void>());
  const done = ends.map(({ promise }, number) =>
    inTurn(async () => {
      begun.push(number);
      await promise;
      return number;
    }),
  );
  await Promise.resolve();
  expect(begun).toEqual([0, 1]);
  ends[1]?.resolve();
  await done[1];
  expect(begun).toEqual([0, 1, 2]);
  for (const { resolve } of ends) resolve();
  expect(await Promise.all(done)).toEqual([0, 1, 2, 3, 4]);
});

it('passes the turn on after a failure', async () => {
  const inTurn = takeTurns(1);
  const failed = inTurn(() => Promise.reject(new Error('away')));
  const next = inTurn(async () => 'next');
  await expect(failed).rejects.toThrow('away');
  expect(await next).toBe('next');
  expect(await inTurn(async () => 'later')).toBe('later');
});
