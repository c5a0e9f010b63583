import { describe, expect, it } from 'vitest';
import { formatTable, judge, shortNumber } from './report.ts';

const ceiling = { name: 'a constant', value: 1_000 };

describe('judge', () => {
  it('holds the ratio to the target where there is a ceiling', () => {
    const figure = { name: 'reads', value: 400, unit: '/s', ceiling };
    expect(judge({ ...figure, target: { least: 0.4 } })).toMatchObject({ ratio: 0.4, isMet: true });
    expect(judge({ ...figure, target: { least: 0.41 } })).toMatchObject({ isMet: false });
  });

  it('holds the value itself to the target where there is none', () => {
    const figure = { name: 'p99', value: 61, unit: 'ms' };
    expect(judge({ ...figure, target: { most: 60 } })).toMatchObject({ ratio: null, isMet: false });
    expect(judge({ ...figure, target: { most: 61 } })).toMatchObject({ isMet: true });
  });

  it('does not judge what has no target, and takes no number for a miss', () => {
    expect(judge({ name: 'x', value: 1, unit: '' })).toMatchObject({ isMet: null });
    expect(judge({ name: 'x', value: Number.NaN, unit: '', target: { least: 0 } })).toMatchObject({
      isMet: false,
    });
  });
});

it('prints ratio, target and outcome side by side', () => {
  const table = formatTable([
    judge({ name: 'reads', value: 412.4, unit: '/s', ceiling, target: { least: 0.4 }, note: 'warm' }),
    judge({ name: 'p99', value: 75, unit: 'ms', target: { most: 60 } }),
  ]);
  const [, reads, latency] = table.split('\n');
  expect(reads).toMatch(/^reads +412 \/s +1,000 +0\.41 +>= 0\.4 +pass +of a constant; warm$/);
  expect(latency).toMatch(/^p99 +75 ms +<= 60 +MISS$/);
});

it.each([
  [1234567.8, '1,234,568'],
  [99.96, '100'],
  [0.012345, '0.0123'],
  [Number.NaN, '-'],
])('writes %f as %s', (value, text) => {
  expect(shortNumber(value)).toBe(text);
});
