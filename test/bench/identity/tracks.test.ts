import { expect, it } from 'vitest';
import { recordingsOf, TRACKS_AN_ITEM, trackOf } from './tracks.ts';

const tracks = Array.from({ length: 5_000 }, (_, number) => trackOf(number));

it('makes the same track of the same number, and others of others', () => {
  expect(trackOf(4_711)).toEqual(tracks[4_711]);
  expect(new Set(tracks.map(({ artist, title, lengthMs }) => `${artist} ${title} ${lengthMs}`)).size).toBe(
    tracks.length,
  );
  expect(new Set(tracks.map(({ artist }) => artist)).size).toBe(1_000);
});

it('has titles that many share, and recordings of which most are on one release', () => {
  const byTitle = Map.groupBy(tracks, ({ title }) => title);
  expect(Math.max(...[...byTitle.values()].map(({ length }) => length))).toBeGreaterThan(50);
  const single = tracks.filter(({ releases }) => releases === 1).length / tracks.length;
  expect(single).toBeGreaterThan(0.5);
  expect(single).toBeLessThan(0.7);
  expect(Math.max(...tracks.map(({ releases }) => releases))).toBeGreaterThan(64);
});

it('leaves a fifth to the storefront, in whole items', () => {
  for (const count of [1, 50, 100, 12_345]) {
    expect((count - recordingsOf(count)) % TRACKS_AN_ITEM).toBe(0);
    expect(recordingsOf(count)).toBeGreaterThanOrEqual(count * 0.8);
  }
  expect(recordingsOf(5_000_000)).toBe(4_000_000);
});
