import { expect, it } from 'vitest';
import { sources } from '../../../projections/contracts/index.ts';
import { mirrorCopy } from '../data/mirror-row.ts';
import { generateIdentity } from './generate.ts';
import { askedBy, askedFor, mixedLocators } from './locators.ts';

const catalogue = { artists: 40, recordings: 100 };
const registry = { idOf: (source: (typeof sources)[number]) => sources.indexOf(source) + 1 };
const rows = (seed: number) =>
  Array.from({ length: catalogue.artists }, (_, index) => generateIdentity(catalogue, seed, index)).flat();

it('keeps to the contracts, with keys of their own, and deals out every recording', () => {
  const copies = rows(1).map((row) => mirrorCopy(row, registry));
  expect(new Set(copies.map(({ sourceId, key }) => `${sourceId} ${key}`)).size).toBe(copies.length);
  expect(rows(1).filter(({ source }) => source.table === 'mb.recording')).toHaveLength(100);
  expect(rows(1)).toEqual(rows(1));
  expect(rows(1)).not.toEqual(rows(2));
});

it('asks for every artist and recording by every kind of locator', () => {
  for (const by of askedBy) {
    const asked = Array.from({ length: 100 }, (_, number) => askedFor(by, number, catalogue));
    const isOfRecording = by === 'isrc' || by === 'artist_track';
    expect(new Set(asked.map(({ locator }) => JSON.stringify(locator))).size).toBe(isOfRecording ? 100 : 40);
    expect(new Set(asked.map(({ artist }) => artist)).size).toBe(by === 'unknown' || by === 'near' ? 1 : 40);
  }
  expect(mixedLocators(16, 7, catalogue)).toHaveLength(16);
});
