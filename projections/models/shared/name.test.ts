import { expect, it } from 'vitest';
import { bareName, normalizeName } from './name.ts';

it.each([
  ['Aphex Twin', 'aphex twin'],
  ['  Aphex \t\u00a0 Twin\n', 'aphex twin'],
  ['ＡＰＨＥＸ', 'aphex'],
  ['Pe\u0301pe\u0301 Bradock', 'pépé bradock'],
  ['!!!', '!!!'],
  ['+/-', '+/-'],
  ['P!nk', 'p!nk'],
  ['Kitty, Daisy & Lewis', 'kitty, daisy & lewis'],
  ['\u200fفيروز\u200f', 'فيروز'],
  ['\u202aAphex\u202c Twin', 'aphex twin'],
  ['\u200e', ''],
])('%j is compared as %j', (name, normalized) => {
  expect(normalizeName(name)).toBe(normalized);
  expect(normalizeName(normalized)).toBe(normalized);
});

it.each([
  ['Mono (2)', 'Mono'],
  ['Wax (19) ', 'Wax'],
  ['Mono', null],
  ['(2)', null],
  ['Sunn O)))', null],
  ['Mono (Japan)', null],
])('%j has the bare name %j', (name, bare) => {
  expect(bareName(name)).toBe(bare);
});
