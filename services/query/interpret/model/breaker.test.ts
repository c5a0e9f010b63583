import { expect, it } from 'vitest';
import { createBreaker } from './breaker.ts';

const REST_MS = 30_000;

/** One that has just opened. */
function opened() {
  const clock = { now: 1_000 };
  const breaker = createBreaker(() => clock.now);
  for (let failure = 0; failure < 3; failure++) {
    expect(breaker.admits()).toBe(true);
    breaker.failed();
  }
  return { clock, breaker };
}

it('opens after three failures in a row, and no sooner', () => {
  const breaker = createBreaker(() => 0);
  for (const outcome of ['failed', 'failed', 'succeeded', 'failed', 'failed'] as const) {
    expect(breaker.admits()).toBe(true);
    breaker[outcome]();
  }
  expect(breaker.admits()).toBe(true);
  breaker.failed();
  expect(breaker.admits()).toBe(false);
});

it('lets one try when its rest is over, and closes if that one succeeds', () => {
  const { clock, breaker } = opened();
  clock.now += REST_MS - 1;
  expect(breaker.admits()).toBe(false);
  clock.now += 1;
  expect([breaker.admits(), breaker.admits(), breaker.admits()]).toEqual([true, false, false]);
  breaker.succeeded();
  expect([breaker.admits(), breaker.admits()]).toEqual([true, true]);
});

it('rests anew if that one fails', () => {
  const { clock, breaker } = opened();
  clock.now += REST_MS;
  expect(breaker.admits()).toBe(true);
  breaker.failed();
  expect(breaker.admits()).toBe(false);
  clock.now += REST_MS - 1;
  expect(breaker.admits()).toBe(false);
  clock.now += 1;
  expect(breaker.admits()).toBe(true);
});

it('lets the next one try where that one went away', () => {
  const { clock, breaker } = opened();
  clock.now += REST_MS;
  expect(breaker.admits()).toBe(true);
  breaker.abandoned();
  expect([breaker.admits(), breaker.admits()]).toEqual([true, false]);
});
