import { expect, it } from 'vitest';
import { createBreaker } from './breaker.ts';

const REST_MS = 30_000;

/** A breaker that has just opened. */
function opened() {
  const clock = { now: 1_000 };
  const breaker = createBreaker(() => clock.now);
  for (let failure = 0; failure < 3; failure++) {
    expect(breaker.admits()).toBe(true);
    breaker.failed();
  }
  return { clock, breaker };
}

it('opens after exactly three consecutive failures', () => {
  const breaker = createBreaker(() => 0);
  for (const outcome of ['failed', 'failed', 'succeeded', 'failed', 'failed'] as const) {
    expect(breaker.admits()).toBe(true);
    breaker[outcome]();
  }
  expect(breaker.admits()).toBe(true);
  breaker.failed();
  expect(breaker.admits()).toBe(false);
});

it('allows one probe after its rest and closes if that succeeds', () => {
  const { clock, breaker } = opened();
  clock.now += REST_MS - 1;
  expect(breaker.admits()).toBe(false);
  clock.now += 1;
  expect([breaker.admits(), breaker.admits(), breaker.admits()]).toEqual([true, false, false]);
  breaker.succeeded();
  expect([breaker.admits(), breaker.admits()]).toEqual([true, true]);
});

it('rests again if the probe fails', () => {
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

it('allows another probe if the caller left', () => {
  const { clock, breaker } = opened();
  clock.now += REST_MS;
  expect(breaker.admits()).toBe(true);
  breaker.abandoned();
  expect([breaker.admits(), breaker.admits()]).toEqual([true, false]);
});
