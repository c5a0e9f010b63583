import { describe, expect, it } from 'vitest';
import { catalogArtist } from '../../../projections/contracts/catalog/artist.ts';
import { mbRecording } from '../../../projections/contracts/mb/recording.ts';
import { clusterAliasV1 } from '../../../projections/contracts/mirror/cluster-alias-v1.ts';
import { artistIdentityBridge } from '../../../projections/contracts/seen/artist-identity-bridge.ts';
import { performingEntity } from '../../../projections/contracts/seen/performing-entity.ts';
import { storefrontTrack } from '../../../projections/contracts/storefront/track.ts';
import { UNRESOLVED, withResolve } from '../../../test/support/query/resolve-service.ts';
import { CATALOG_ID, rowsOf } from '../../../test/support/rows/source-rows.ts';

const BOUND = 'a1'.repeat(32);
const SEEN = 'b2'.repeat(32);
const OTHER = 'c3'.repeat(32);
const UNSEEN = 'd4'.repeat(32);
const MERGED = 'e5'.repeat(32);
const recordingOf = (number: number): string => number.toString(16).padStart(64, '0');

const { resolve, pool } = withResolve(
  rowsOf(catalogArtist, { name: 'Bound', slug: 'bound' }),
  rowsOf(artistIdentityBridge, { cluster_id: BOUND, catalog_artist_id_count: 1 }),
  rowsOf(
    performingEntity,
    { cluster_id: BOUND, name: 'Bound', slug: 'bound' },
    { cluster_id: SEEN, name: 'Seen', slug: 'seen' },
    { cluster_id: OTHER, name: 'Other', slug: 'other' },
  ),
  rowsOf(clusterAliasV1, { cluster_id: OTHER, alias: MERGED }),
  rowsOf(
    mbRecording,
    ...(
      [
        [1, BOUND, 'Bound', 'Xtal (Live!)', 3, ['USRC17607839']],
        [2, SEEN, 'Seen', 'Only', 2, ['GB-AYE-06-01498', 'GBAYE0601499']],
        // One code on recordings of two artists: that on more releases counts.
        [3, SEEN, 'Seen', 'More', 9, ['DEA129900001', 'DEA129900002']],
        [4, OTHER, 'Other', 'Less', 8, ['DEA129900001']],
        [5, OTHER, 'Other', 'As many', 9, ['DEA129900002']],
        // Homonyms share a recording's name, and with it the document.
        [6, SEEN, 'Twins', 'Song', 5, ['DEA129900003']],
        [6, OTHER, 'Twins', 'Song', 5, ['DEA129900004']],
        [7, OTHER, 'TWINS', 'Tune', 1, []],
        [8, SEEN, 'Twins!', 'Tune', 2, []],
        [9, UNSEEN, 'Unseen', 'Alone', 1, ['DEA129900005']],
        [10, MERGED, 'Merged', 'Gone', 1, ['DEA129900006']],
        [11, SEEN, 'Seen', 'l'.repeat(900), 1, []],
        [12, OTHER, 'Both', 'Sold', 0, []],
      ] as const
    ).map(([subject, artist, artist_credit, title, release_count, isrcs], index) => ({
      recording_mbid: `0f0e0d0c-0b0a-4908-8706-${String(index).padStart(12, '0')}`,
      cluster_id: recordingOf(subject),
      artist_cluster_id: artist,
      artist_credit,
      title,
      release_count,
      isrcs: [...isrcs],
    })),
  ),
  rowsOf(
    storefrontTrack,
    { item_id: 'i1', track_no: 1, cluster_id: SEEN, artist_name: 'Both', title: 'Sold' },
    { item_id: 'i1', track_no: 2, cluster_id: SEEN, artist_name: 'Seen', title: 'Self-Released' },
    // A key is any text, and its content does not affect other results.
    { item_id: 'i 2\n"b"', track_no: 1, cluster_id: SEEN, artist_name: 'Seen', title: 'Self released' },
    { item_id: 'i3', track_no: 1, cluster_id: SEEN, artist_name: 'Seller', title: 'Contested' },
    { item_id: 'i4', track_no: 1, cluster_id: OTHER, artist_name: 'Seller', title: 'Contested' },
  ),
);

const isrc = (code: string): Promise<Record<string, unknown>> => resolve({ isrc: code });
const track = (artist: string, title: string): Promise<Record<string, unknown>> =>
  resolve({ artist, track: title });

describe('an ISRC', () => {
  it('resolves to its performer, as the catalogue artist if the cluster is bound', async () => {
    expect(await isrc('USRC17607839')).toEqual({
      cluster_id: BOUND,
      slug: 'bound',
      display: 'Bound',
      locators: { ...UNRESOLVED.locators, catalog: CATALOG_ID },
      resolved_via: 'catalog',
      resolved_from: 'locator',
      matched_on: 'isrc',
      _links: {
        artist: '/api/v2/artist/bound',
        artist_dossier_by_slug: '/api/v2/dossier/artist/bound',
      },
    });
  });

  it.each([
    'usrc17607839',
    'US-RC1-76-07839',
    ' US RC1 76 07839 ',
    'US\u2011RC1\u201376\u00a007839',
    'ISRC USRC17607839',
  ])('is accepted in any spelling: %s', async (code) => {
    expect(await isrc(code)).toMatchObject({ cluster_id: BOUND, matched_on: 'isrc' });
  });

  it('takes precedence over a name', async () => {
    expect(await resolve({ isrc: 'GBAYE0601498', q: 'Bound' })).toMatchObject({
      cluster_id: SEEN,
      slug: 'seen',
      resolved_via: 'cluster',
      resolved_from: 'locator',
      matched_on: 'isrc',
    });
    expect(await isrc('GBAYE0601499')).toMatchObject({ cluster_id: SEEN });
  });

  it('is unresolved with a note if it is unknown', async () => {
    expect(await isrc('USRC17607838')).toEqual({
      ...UNRESOLVED,
      resolved_from: 'locator',
      note: 'No recording has this ISRC.',
    });
  });

  it('of several artists resolves to the one on more releases, or to none if equal', async () => {
    expect(await isrc('DEA129900001')).toMatchObject({ cluster_id: SEEN });
    expect(await isrc('DEA129900002')).toEqual({
      ...UNRESOLVED,
      resolved_from: 'locator',
      note: 'Recordings of several artists match this ISRC equally well, so none was chosen.',
    });
  });

  it('distinguishes artists whose recordings share a name', async () => {
    expect(await isrc('DEA129900003')).toMatchObject({ cluster_id: SEEN });
    expect(await isrc('DEA129900004')).toMatchObject({ cluster_id: OTHER });
  });

  it('resolves to the bare cluster if no source has more', async () => {
    expect(await isrc('DEA129900005')).toEqual({
      ...UNRESOLVED,
      cluster_id: UNSEEN,
      resolved_via: 'cluster',
      resolved_from: 'locator',
      matched_on: 'isrc',
      note: 'The recording names this cluster, and no source has more data about it.',
      _links: { artist: `/api/v2/artist/${UNSEEN}`, artist_dossier_by_slug: null },
    });
  });

  it('follows a cluster that was merged into another', async () => {
    expect(await isrc('DEA129900006')).toMatchObject({ cluster_id: OTHER, matched_on: 'isrc' });
    expect(await resolve({ cluster: MERGED })).toMatchObject({
      cluster_id: OTHER,
      matched_on: 'cluster',
      note: 'The requested cluster was merged into this one.',
    });
  });
});

describe('artist and track', () => {
  it.each([
    ['Bound', 'Xtal (Live!)'],
    ['BOUND', 'xtal live'],
    [' bound ', 'Xtal — Live'],
  ])('resolve to the performer, whatever the case and punctuation: %s, %s', async (artist, title) => {
    expect(await track(artist, title)).toMatchObject({
      cluster_id: BOUND,
      resolved_via: 'catalog',
      resolved_from: 'locator',
      matched_on: 'artist_track',
    });
  });

  it('take precedence over a name', async () => {
    expect(await resolve({ artist: 'Seen', track: 'Only', q: 'Bound' })).toMatchObject({
      cluster_id: SEEN,
      matched_on: 'artist_track',
    });
  });

  it.each([
    ['Bound', 'Xtal'],
    ['Seen', 'Xtal (Live!)'],
    ['Böund', 'Xtal (Live!)'],
    ['\u200e', 'Xtal (Live!)'],
    ['Bound', '\u2066'],
  ])('are unresolved with a note if unknown: %s, %s', async (artist, title) => {
    expect(await track(artist, title)).toEqual({
      ...UNRESOLVED,
      resolved_from: 'locator',
      note: 'No recording has this title and exactly this artist credit.',
    });
  });

  it('of several artists resolve to the one on more releases, or to none if equal', async () => {
    expect(await track('twins', 'tune')).toMatchObject({ cluster_id: SEEN });
    expect(await track('twins', 'song')).toEqual({
      ...UNRESOLVED,
      resolved_from: 'locator',
      note: 'Recordings of several artists of this name match the title equally well, so none was chosen.',
    });
  });

  it('find tracks that only a storefront sells, if the sellers agree', async () => {
    expect(await track('seen', 'self released')).toMatchObject({ cluster_id: SEEN });
    expect(await track('seller', 'contested')).toMatchObject({
      ...UNRESOLVED,
      note: expect.stringContaining('equal'),
    });
  });

  it('prefer the metadata database to a storefront', async () => {
    expect(await track('both', 'sold')).toMatchObject({ cluster_id: OTHER });
  });

  it('find a title of any length by a short lookup key', async () => {
    expect(await track('Seen', 'L'.repeat(900))).toMatchObject({ cluster_id: SEEN });
    expect(await track('Seen', 'l'.repeat(901))).toMatchObject(UNRESOLVED);
    const { rows } = await pool.query(
      'select max(octet_length(address)) as longest from read.recording_address',
    );
    expect(rows[0]?.longest).toBeLessThan(260);
  });
});
