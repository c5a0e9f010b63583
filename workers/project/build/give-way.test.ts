import { expect, it } from 'vitest';
import { restRule } from './give-way.ts';

it('pauses while served versions lag', () => {
  const shouldRest = restRule(() => 0);
  expect(shouldRest(null)).toBe(false);
  expect(shouldRest({ since: 1_000, lagMs: 299 })).toBe(false);
  expect(shouldRest({ since: 1_000, lagMs: 300 })).toBe(true);
  expect(shouldRest({ since: 1_000, lagMs: 90_000 })).toBe(true);
  expect(shouldRest(null)).toBe(false);
});

it('does not pause while no projector runs', () => {
  let now = 0;
  const shouldRest = restRule(() => now);
  const change = { since: 1_000, lagMs: 5_000 };
  expect(shouldRest(change)).toBe(true);
  now = 9_999;
  expect(shouldRest(change)).toBe(true);
  now = 10_000;
  expect(shouldRest(change)).toBe(false);
  now = 60_000;
  expect(shouldRest(change)).toBe(false);
  expect(shouldRest({ since: 1_001, lagMs: 65_000 })).toBe(true);
});
