import { expect, it } from 'vitest';
import { restingRule } from './give-way.ts';

it('rests while changes wait too long', () => {
  const isWorthResting = restingRule(() => 0);
  expect(isWorthResting(null)).toBe(false);
  expect(isWorthResting({ since: 1_000, lagMs: 299 })).toBe(false);
  expect(isWorthResting({ since: 1_000, lagMs: 300 })).toBe(true);
  expect(isWorthResting({ since: 1_000, lagMs: 90_000 })).toBe(true);
  expect(isWorthResting(null)).toBe(false);
});

it('goes on where nobody takes changes up, until somebody does', () => {
  let now = 0;
  const isWorthResting = restingRule(() => now);
  const waiting = { since: 1_000, lagMs: 5_000 };
  expect(isWorthResting(waiting)).toBe(true);
  now = 9_999;
  expect(isWorthResting(waiting)).toBe(true);
  now = 10_000;
  expect(isWorthResting(waiting)).toBe(false);
  now = 60_000;
  expect(isWorthResting(waiting)).toBe(false);
  expect(isWorthResting({ since: 1_001, lagMs: 65_000 })).toBe(true);
});
