import type { Consumer } from 'kafkajs';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { watchSilence } from './watch-silence.ts';

/** A consumer that only emits events. */
function consumerOf() {
  const events = new EventTarget();
  const names = ['FETCH_START', 'FETCH', 'HEARTBEAT', 'GROUP_JOIN', 'END_BATCH_PROCESS'];
  const consumer = {
    events: Object.fromEntries(names.map((name) => [name, name])),
    on: (name: string, listener: () => void) => events.addEventListener(name, listener),
  } as unknown as Consumer;
  return { consumer, sign: (name: string) => events.dispatchEvent(new Event(name)) };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('reports a consumer without activity for three minutes, unless it is busy', () => {
  const { consumer, sign } = consumerOf();
  const end = vi.fn<(error: Error) => void>();
  let isBusy = false;
  const onActivity = vi.fn();
  const stop = watchSilence(consumer, { isBusy: () => isBusy, onSilence: end, onActivity });
  vi.advanceTimersByTime(179_000);
  sign('HEARTBEAT');
  expect(onActivity).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(175_000);
  isBusy = true;
  vi.advanceTimersByTime(600_000);
  isBusy = false;
  vi.advanceTimersByTime(175_000);
  expect(end).not.toHaveBeenCalled();
  vi.advanceTimersByTime(5_000);
  expect(end.mock.calls[0]?.[0].message).toBe('the consumer showed no activity for 180 s');
  stop();
});
