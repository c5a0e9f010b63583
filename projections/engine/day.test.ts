import { describe, expect, it } from 'vitest';
import { currentDay } from './day.ts';

describe('the day', () => {
  const now = new Date('2026-11-21T23:59:59.999Z');

  it('is today in UTC unless it is set', () => {
    expect(currentDay(now, undefined)).toBe('2026-11-21');
    expect(currentDay(now, '')).toBe('2026-11-21');
    expect(currentDay(now, '2020-02-29')).toBe('2020-02-29');
  });

  it.each(['2019-02-29', '2019-6-30', 'yesterday', '2019-06-30T00:00:00Z', '2019-13-40'])(
    'rejects %s',
    (asOf) => {
      expect(() => currentDay(now, asOf)).toThrow('setting AS_OF must be a day');
    },
  );
});
