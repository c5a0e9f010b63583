import { expect, it } from 'vitest';
import { rowsOf } from '../../../test/support/rows/source-rows.ts';
import type { RowOf } from '../../contracts/columns.ts';
import { storefrontTrack } from '../../contracts/storefront/track.ts';
import { tracksOf } from './release.ts';

type TrackRow = RowOf<typeof storefrontTrack.columns>;

const rows = (...given: Partial<TrackRow>[]): TrackRow[] =>
  rowsOf(storefrontTrack, ...given).rows.map((row) => row as TrackRow);

it('lists tracks by their number', () => {
  const url = 'https://artist.shop.test/track/two';
  expect(
    tracksOf(
      rows(
        { track_no: 10, title: 'Ten' },
        { track_no: 2, title: 'Two', duration_ms: 61_000, track_url: url },
        { track_no: 1, title: 'One', track_url: 'https://t4.bcbits.com/stream/1' },
      ),
    ),
  ).toEqual([
    { track_no: 1, title: 'One', duration_s: null, track_url: null },
    { track_no: 2, title: 'Two', duration_s: 61, track_url: url },
    { track_no: 10, title: 'Ten', duration_s: null, track_url: null },
  ]);
});

it.each([
  [null, null],
  [-1, null],
  [-400, null],
  [0, 0],
  [499, 0],
  [500, 1],
  [1_499, 1],
  [1_500, 2],
  [428_000, 428],
  [214_733, 215],
])('converts %s milliseconds to %s seconds', (duration_ms, seconds) => {
  expect(tracksOf(rows({ duration_ms }))[0]?.duration_s).toBe(seconds);
});
