import { describe, expect, it } from 'vitest';
import { sources } from '../../../projections/contracts/index.ts';
import { artistProjection } from '../../../projections/models/artist/project.ts';
import { clusterIdOf } from './artist.ts';
import { generateArtist } from './generate.ts';
import { mirrorCopy } from './mirror-row.ts';
import { randomOf } from './random.ts';
import { uniqueName } from './words.ts';

const registry = { idOf: (source: (typeof sources)[number]) => sources.indexOf(source) + 1 };
const artists = (seed: number, count: number) =>
  Array.from({ length: count }, (_, index) => generateArtist(seed, index)).flat();
const bytesOf = (seed: number, count: number): string =>
  JSON.stringify(artists(seed, count).map((row) => mirrorCopy(row, registry)));

describe('generateArtist', () => {
  it('gives the same bytes for the same seed, and others for another', () => {
    expect(bytesOf(7, 20)).toBe(bytesOf(7, 20));
    expect(bytesOf(7, 20)).not.toBe(bytesOf(8, 20));
  });

  it('gives an artist the same rows whatever was generated before', () => {
    expect(generateArtist(3, 11)).toEqual(artists(3, 12).slice(artists(3, 11).length));
  });

  it('keeps to the contracts, with keys of their own, for every source of an artist dossier', () => {
    const rows = artists(1, 300);
    const copies = rows.map((row) => mirrorCopy(row, registry));
    expect(new Set(copies.map(({ sourceId, key }) => `${sourceId} ${key}`)).size).toBe(copies.length);
    const tables = new Set(rows.map(({ source }) => source.table));
    expect(
      artistProjection.reads.map(({ source }) => source.table).filter((table) => !tables.has(table)),
    ).toEqual([]);
  });
});

it('never names two artists alike', () => {
  const names = Array.from({ length: 50_000 }, (_, index) => uniqueName(index * 13));
  expect(new Set(names).size).toBe(names.length);
  expect(clusterIdOf(1)).toMatch(/^[0-9a-f]{64}$/);
});

it('spreads whole numbers evenly over both ends', () => {
  const random = randomOf(1, 1);
  const counts = [0, 0, 0, 0];
  for (let index = 0; index < 8_000; index++) {
    const value = random.whole(1, 4) - 1;
    counts[value] = (counts[value] ?? 0) + 1;
  }
  for (const count of counts) expect(Math.abs(count - 2_000)).toBeLessThan(200);
});
