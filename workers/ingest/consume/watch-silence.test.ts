import type { Consumer } from 'kafkajs';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { watchSilence } from './watch-silence.ts';

/** A consumer that only gives signs of life. */
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

it('ends a consumer that has been silent for three minutes, and none that is at work', () => {
  const { consumer, sign } = consumerOf();
  const end = vi.fn<(error: Error) => void>();
  let isBusy = false;
  const onSign = vi.fn();
  const stop = watchSilence(consumer, () => isBusy, end, onSign);
  vi.advanceTimersByTime(179_000);
  sign('HEARTBEAT');
  expect(onSign).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(175_000);
  isBusy = true;
  vi.advanceTimersByTime(600_000);
  isBusy = false;
  vi.advanceTimersByTime(175_000);
  expect(end).not.toHaveBeenCalled();
  vi.advanceTimersByTime(5_000);
  expect(end.mock.calls[0]?.[0].message).toBe('the consumer gave no sign of life for 180 s');
  stop();
});
