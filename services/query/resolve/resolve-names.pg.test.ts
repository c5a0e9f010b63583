import { describe, expect, it } from 'vitest';
import { catalogArtist } from '../../../projections/contracts/catalog/artist.ts';
import { mbRecording } from '../../../projections/contracts/mb/recording.ts';
import { clusterAliasV1 } from '../../../projections/contracts/mirror/cluster-alias-v1.ts';
import { artistIdentityBridge } from '../../../projections/contracts/seen/artist-identity-bridge.ts';
import { performingEntity } from '../../../projections/contracts/seen/performing-entity.ts';
import { spineArtistNamePublishedView } from '../../../projections/contracts/spine/spine-artist-name-published-view.ts';
import { UNRESOLVED, withResolve } from '../../../test/support/query/resolve-service.ts';
import { rowsOf } from '../../../test/support/rows/source-rows.ts';

/** Names as artists write them, each with spellings that are the same name. */
const NAMES: readonly (readonly [name: string, ...spellings: string[]])[] = [
  ['!!!', ' !!! '],
  ['+/-'],
  ['P!nk', 'p!NK'],
  ['The The', 'the  the'],
  ['The Kinks', 'THE KINKS'],
  ['Kinks'],
  ['Kitty, Daisy & Lewis', 'kitty, daisy & lewis'],
  ['Pépé Bradock', 'Pe\u0301pe\u0301 Bradock', 'PÉPÉ BRADOCK'],
  ['Sigur Rós', 'ＳＩＧＵＲ ＲÓＳ'],
  ['Motörhead', 'Moto\u0308rhead'],
  ['Ægir', 'ÆGIR'],
  ['¥ØU$UK€ ¥UK1MAT$U', '¥øu$uk€ ¥uk1mat$u'],
  ['-M-'],
  ['*NSYNC', '*nsync'],
  ['Godspeed You! Black Emperor', 'godspeed you! black emperor'],
  ['Does It Offend You, Yeah?', 'does it offend you, yeah?'],
  ['Lee "Scratch" Perry', 'lee "scratch" perry'],
  ['Joe Armon\u2010Jones', 'Joe Armon\u2011Jones'],
  ['DJ /rupture', 'dj /rupture'],
  ['Florence + The Machine', 'florence + the machine'],
  ['Beak>', 'beak>'],
  ['\u200fفيروز\u200f', 'فيروز', '\u202bفيروز\u202c'],
  ['光田康典 / ACE(工藤ともり、CHiCO) / 平松建治', '光田康典 / ACE（工藤ともり、CHiCO） / 平松建治'],
  ['Şebnem Ferah', 'S\u0327ebnem Ferah'],
  ['ß', 'ß'],
  ['Я'.repeat(200), 'я'.repeat(200)],
  ['Ж'.repeat(990), 'ж'.repeat(990)],
  ["Robert'); drop table read.identity; --"],
  ['100% %_\\'],
];
const clusterOf = (number: number): string => (0xc000 + number).toString(16).padStart(64, '0');
const artist = { realname: null, profile: null, urls: [], aliases: [] };

const { resolve, batch } = withResolve(
  rowsOf(
    catalogArtist,
    ...NAMES.map(([name], index) => ({
      ...artist,
      catalog_artist_id: 100 + index,
      name,
      slug: `artist-${index}`,
    })),
    { ...artist, catalog_artist_id: 1, name: 'Nero', slug: 'nero' },
    { ...artist, catalog_artist_id: 2, name: 'Nero (5)', slug: 'nero-5' },
    { ...artist, catalog_artist_id: 3, name: 'Eve (2)', slug: 'eve-2' },
    { ...artist, catalog_artist_id: 4, name: 'Eve (8)', slug: 'eve-8' },
    { ...artist, catalog_artist_id: 5, name: 'Wax (19)', slug: 'wax-19' },
    { ...artist, catalog_artist_id: 6, name: 'Same', slug: 'same' },
    { ...artist, catalog_artist_id: 7, name: 'same', slug: 'same-b' },
    { ...artist, catalog_artist_id: 8, name: 'Given', slug: 'given', aliases: ['Taken', 'Nero'] },
  ),
  rowsOf(
    artistIdentityBridge,
    ...NAMES.map((_, index) => ({
      cluster_id: clusterOf(index),
      catalog_artist_id: 100 + index,
      catalog_artist_id_count: 1,
    })),
  ),
  rowsOf(spineArtistNamePublishedView, {
    cluster_id: clusterOf(901),
    published_name: 'Published',
    slug: 'p',
  }),
  rowsOf(
    performingEntity,
    { cluster_id: clusterOf(902), name: 'Published', slug: 'p2', distinct_events: 99 },
    { cluster_id: clusterOf(903), name: 'Taken', slug: 't', distinct_events: 99 },
  ),
  rowsOf(
    clusterAliasV1,
    { cluster_id: clusterOf(902), alias: 'Other Name' },
    { cluster_id: clusterOf(903), alias: 'Published' },
  ),
  rowsOf(
    mbRecording,
    ...NAMES.map(([name], index) => ({
      recording_mbid: `0f0e0d0c-0b0a-4908-8706-${String(index).padStart(12, '0')}`,
      cluster_id: clusterOf(500 + index),
      artist_cluster_id: clusterOf(index),
      artist_credit: name,
      title: `${name} (Live)`,
    })),
  ),
);

describe('an artist of any name', () => {
  it.each(NAMES)('is found by it: %s', async (name, ...spellings) => {
    const index = NAMES.findIndex(([known]) => known === name);
    for (const q of [name, ...spellings]) {
      expect(await resolve({ q })).toMatchObject({
        cluster_id: clusterOf(index),
        display: name,
        slug: `artist-${index}`,
        resolved_via: 'catalog',
        resolved_from: 'name',
        matched_on: 'name',
      });
    }
  });

  it.each(NAMES)('is found by what it recorded: %s', async (name) => {
    const index = NAMES.findIndex(([known]) => known === name);
    expect(await resolve({ artist: name, track: `${name.toLowerCase()} — LIVE` })).toMatchObject({
      cluster_id: clusterOf(index),
      resolved_via: 'catalog',
      resolved_from: 'locator',
      matched_on: 'artist_track',
    });
  });

  it('is found among many', async () => {
    const results = await batch(NAMES.map(([q]) => ({ q })));
    expect(results.map(({ index, display }) => [index, display])).toEqual(
      NAMES.map(([name], index) => [index, name]),
    );
  });

  it.each(['Pepe Bradock', 'Sigur Ros', 'Pink', 'NSYNC', 'The', 'Joe Armon-Jones', '100%', '+-'])(
    'is not found by a name that is only near: %s',
    async (q) => {
      expect(await resolve({ q })).toMatchObject({
        ...UNRESOLVED,
        note: 'No artist has exactly this name.',
      });
    },
  );
});

describe('of several candidates for a name', () => {
  it.each([
    ['the unnumbered one comes before a homonym', 'Nero', 'nero'],
    ['a homonym is found by its number', 'nero (5)', 'nero-5'],
    ['a single homonym is found by its bare name', 'wax', 'wax-19'],
    ['the catalogue comes before the booking graph', 'taken', 'given'],
    ['the published name comes before that of the booking graph', 'published', 'p'],
    ['an alias comes last, but counts', 'other name', 'p2'],
  ])('%s', async (_rule, q, slug) => {
    expect(await resolve({ q })).toMatchObject({ slug, matched_on: 'name' });
  });

  it.each(['eve', 'same', 'SAME'])('none is chosen if they are equal: %s', async (q) => {
    expect(await resolve({ q })).toEqual({
      ...UNRESOLVED,
      resolved_from: 'name',
      note: 'Several artists match this name equally well, so none was chosen.',
      candidates: [],
    });
  });
});
