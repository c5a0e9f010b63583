import { expect, it } from 'vitest';
import { mirrorRows, rowsOf, type SourceRows } from '../../test/rows/source-rows.ts';
import { storefrontItem } from '../sources/storefront/item.ts';
import { storefrontTrack } from '../sources/storefront/track.ts';
import { storefrontTrackProjection } from './project.ts';

const A = 'a1'.repeat(32);
const B = 'b2'.repeat(32);

async function project(...given: readonly SourceRows[]) {
  const rows = mirrorRows(...given);
  const [projected] = await storefrontTrackProjection.project(['storefront-item:i1'], async () => rows, {
    idOf: () => 1,
  });
  expect(projected).toMatchObject({ key: 'storefront-item:i1', touches: [] });
  return projected?.document ?? null;
}

const track = { item_id: 'i1', cluster_id: A, artist_name: 'Mono' };
const page = 'https://mono.bandcamp.com/track/halcyon';
const tracks = rowsOf(
  storefrontTrack,
  { ...track, track_no: 10, title: 'Ten' },
  { ...track, track_no: 2, title: 'Halcyon', duration_ms: 61_499, track_url: page },
  { ...track, track_no: 3, cluster_id: B, title: 'Guest', track_url: 'https://t4.bcbits.com/stream/1' },
);

it('keeps the tracks of a release in order, with its title and their pages', async () => {
  const document = await project(rowsOf(storefrontItem, { item_id: 'i1', title: 'Alpha' }), tracks);
  expect(JSON.parse(String(document?.body()))).toEqual({
    release: 'Alpha',
    tracks: [
      { artist: A, credit: 'Mono', title: 'Halcyon', length_ms: 61_499, url: page },
      { artist: B, credit: 'Mono', title: 'Guest', length_ms: null, url: null },
      { artist: A, credit: 'Mono', title: 'Ten', length_ms: null, url: null },
    ],
  });
  expect(document?.addresses.map(({ address }) => address.split(':', 1)[0])).toEqual([
    'title',
    'by',
    'only',
    'title',
    'by',
    'only',
    'title',
    'by',
    'only',
  ]);
});

it('has no title of the release where that is not on file', async () => {
  expect(JSON.parse(String((await project(tracks))?.body()))).toMatchObject({ release: null });
});

it('is nothing without tracks', async () => {
  expect(await project(rowsOf(storefrontItem, { item_id: 'i1' }))).toBeNull();
});
