import { describe, expect, it } from 'vitest';
import { connectorState } from './connectors.ts';

const NOW = Date.UTC(2026, 5, 1);

describe('the state of a connector', () => {
  /** @param silentMs since its newest record, whose way to the database took none of it */
  const afterSilence = (silentMs: number, intervalMs: number | null = 10_000) => {
    const seenMs = NOW - silentMs - 5_000;
    const connector = { name: 'producers', intervalMs };
    const states = [
      connectorState({ ...connector, heartbeatMs: seenMs, changeMs: null }, NOW),
      connectorState({ ...connector, heartbeatMs: null, changeMs: seenMs }, NOW),
      connectorState({ ...connector, heartbeatMs: seenMs - 60_000, changeMs: seenMs }, NOW),
    ];
    expect(new Set(states).size).toBe(1);
    return states[0];
  };

  it('is silent after three missed heartbeats and dead after ten, whatever record came last', () => {
    expect(afterSilence(0)).toBe('alive');
    expect(afterSilence(30_000)).toBe('alive');
    expect(afterSilence(30_001)).toBe('silent');
    expect(afterSilence(100_000)).toBe('silent');
    expect(afterSilence(100_001)).toBe('dead');
    expect(afterSilence(30_001, 60_000)).toBe('alive');
  });

  it('is unknown while the interval of its heartbeats is', () => {
    expect(afterSilence(86_400_000, null)).toBe('unknown');
  });
});
