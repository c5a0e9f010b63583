import { expect, it } from 'vitest';
import { findObjection } from './find-objection.ts';

const counts = {
  ...{ stored: 100, missing: 5, brought: 90, changed: 5, rejected: 0, unreadable: 0 },
  expected: null as number | null,
};

it.each([
  ['few rows', {}, 'counted', null],
  ['no row, whatever else', { missing: 0, unreadable: 1 }, 'off', null],
  ['more than 5 %', { missing: 6 }, 'counted', /lacks 6 of 100 rows, more than 5 %/],
  ['more, and the count fits', { missing: 60, expected: 93 }, 'counted', null],
  ['more, and counts do not matter', { missing: 60, expected: 93 }, 'limited', /more than 5 %/],
  ['fewer rows arrived', { expected: 96 }, 'counted', /read 96 rows, and 90 to 95 arrived/],
  ['more rows arrived', { expected: 89 }, 'limited', /read 89 rows/],
  ['a dead letter may be any row', { unreadable: 1 }, 'counted', /no readable key/],
  ['all are left to operators', {}, 'off', /turned off/],
] as const)('%s', (_, changes, mode, objection) => {
  const found = findObjection({ ...counts, ...changes }, mode);
  if (objection === null) expect(found).toBeNull();
  else expect(found).toMatch(objection);
});
