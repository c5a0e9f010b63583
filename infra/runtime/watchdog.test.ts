import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createWatchdog } from './watchdog.ts';

describe('a watchdog', () => {
  let clock = 0;
  const at = (ms: number): void => {
    clock = ms;
  };

  it('names the loops without a heartbeat in time', () => {
    at(0);
    const watchdog = createWatchdog(() => clock);
    const fast = watchdog.watch('fast', 1_000);
    const slow = watchdog.watch('slow', 60_000);
    at(1_000);
    expect(watchdog.overdue()).toEqual([]);
    at(1_001);
    expect(watchdog.overdue()).toEqual([
      { what: 'fast', since: expect.any(String), detail: 'no heartbeat for 1 s, the limit is 1 s' },
    ]);
    fast.heartbeat();
    at(2_001);
    expect(watchdog.overdue()).toEqual([]);
    at(60_001);
    expect(watchdog.overdue().map(({ what }) => what)).toEqual(['fast', 'slow']);
    slow.stop();
    expect(watchdog.overdue().map(({ what }) => what)).toEqual(['fast']);
  });

  it('distinguishes two loops of one name', () => {
    at(0);
    const watchdog = createWatchdog(() => clock);
    const one = watchdog.watch('loop', 1_000);
    watchdog.watch('loop', 1_000);
    at(1_001);
    one.heartbeat();
    expect(watchdog.overdue()).toHaveLength(1);
    one.stop();
    expect(watchdog.overdue()).toHaveLength(1);
  });

  it('reports the time of the last heartbeat', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000 });
    onTestFinished(() => void vi.useRealTimers());
    at(0);
    const watchdog = createWatchdog(() => clock);
    watchdog.watch('loop', 1_000);
    at(90_000);
    const [cause] = watchdog.overdue();
    expect(Date.now() - Date.parse(cause?.since ?? '')).toBe(90_000);
  });
});
