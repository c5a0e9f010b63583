import { describe, expect, it } from 'vitest';
import { median, percentile, spread } from './statistics.ts';

describe('percentile', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);

  it.each([
    [0.01, 1],
    [0.5, 50],
    [0.99, 99],
    [0.991, 100],
    [1, 100],
  ])('takes the nearest rank at %f', (share, expected) => {
    expect(percentile(hundred, share)).toBe(expected);
  });

  it('is that value for one, and no number for none', () => {
    expect(percentile([7], 0.01)).toBe(7);
    expect(percentile([], 0.5)).toBeNaN();
  });

  it('compares numbers, not their texts, and leaves the values in their order', () => {
    const values = [10, 9, 100];
    expect(percentile(values, 1)).toBe(100);
    expect(values).toEqual([10, 9, 100]);
  });
});

describe('median', () => {
  it('is the middle one, or halfway between two', () => {
    expect(median([30, 10, 20])).toBe(20);
    expect(median([40, 10, 30, 20])).toBe(25);
    expect(median([])).toBeNaN();
  });
});

it('returns the spread as a share of the greatest', () => {
  expect(spread([90, 100, 85])).toBeCloseTo(0.15);
  expect(spread([5])).toBe(0);
});
