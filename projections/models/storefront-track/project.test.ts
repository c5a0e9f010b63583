import { expect, it } from 'vitest';
import { projectOne } from '../../../test/support/projections/project-one.ts';
import { rowsOf, type SourceRows } from '../../../test/support/rows/source-rows.ts';
import { storefrontItem } from '../../contracts/storefront/item.ts';
import { storefrontTrack } from '../../contracts/storefront/track.ts';
import { storefrontTrackProjection } from './project.ts';

const A = 'a1'.repeat(32);
const B = 'b2'.repeat(32);

async function project(...given: readonly SourceRows[]) {
  const projected = await projectOne(storefrontTrackProjection, 'storefront-item:i1', ...given);
  expect(projected).toMatchObject({ key: 'storefront-item:i1', dependents: [] });
  return projected.document;
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
  expect(document?.lookupKeys.map(({ value }) => value.split(':', 1)[0])).toEqual([
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

it('has no title for an unknown release', async () => {
  expect(JSON.parse(String((await project(tracks))?.body()))).toMatchObject({ release: null });
});

it('does not exist without tracks', async () => {
  expect(await project(rowsOf(storefrontItem, { item_id: 'i1' }))).toBeNull();
});
