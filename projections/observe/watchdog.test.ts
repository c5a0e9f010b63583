import { describe, expect, it } from 'vitest';
import { createWatchdog } from './watchdog.ts';

describe('a watchdog', () => {
  let clock = 0;
  const at = (ms: number): void => {
    clock = ms;
  };

  it('finds nothing at fault while every loop turns in time, and names the one that does not', () => {
    at(0);
    const watchdog = createWatchdog(() => clock);
    const fast = watchdog.watch('fast', 1_000);
    const slow = watchdog.watch('slow', 60_000);
    at(1_000);
    expect(watchdog.overdue()).toEqual([]);
    at(1_001);
    expect(watchdog.overdue()).toEqual([
      { what: 'fast', since: expect.any(String), detail: 'no turn for 1 s, 1 s is the limit' },
    ]);
    fast.beat();
    at(2_001);
    expect(watchdog.overdue()).toEqual([]);
    at(60_001);
    expect(watchdog.overdue().map(({ what }) => what)).toEqual(['fast', 'slow']);
    slow.stop();
    expect(watchdog.overdue().map(({ what }) => what)).toEqual(['fast']);
  });

  it('tells two loops of one name apart', () => {
    at(0);
    const watchdog = createWatchdog(() => clock);
    const one = watchdog.watch('loop', 1_000);
    watchdog.watch('loop', 1_000);
    at(1_001);
    one.beat();
    expect(watchdog.overdue()).toHaveLength(1);
    one.stop();
    expect(watchdog.overdue()).toHaveLength(1);
  });

  it('says since when a loop has not turned', () => {
    at(0);
    const watchdog = createWatchdog(() => clock);
    watchdog.watch('loop', 1_000);
    at(90_000);
    const [cause] = watchdog.overdue();
    const agoMs = Date.now() - Date.parse(cause?.since ?? '');
    expect(agoMs).toBeGreaterThanOrEqual(90_000);
    expect(agoMs).toBeLessThan(95_000);
  });
});
