import dns from 'node:dns';
import { Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { catalogArtist } from '../../../projections/contracts/catalog/artist.ts';
import { clusterAuthorityIdsV1 } from '../../../projections/contracts/mirror/cluster-authority-ids-v1.ts';
import { artistIdentityBridge } from '../../../projections/contracts/seen/artist-identity-bridge.ts';
import { artistWebPresence } from '../../../projections/contracts/seen/artist-web-presence.ts';
import { performingEntity } from '../../../projections/contracts/seen/performing-entity.ts';
import { UNRESOLVED, withResolve } from '../../../test/support/query/resolve-service.ts';
import { rowsOf } from '../../../test/support/rows/source-rows.ts';

const APHEX = 'a1'.repeat(32);
const WINK = 'b2'.repeat(32);
const POOLEY = 'c3'.repeat(32);
const LABEL = 'd4'.repeat(32);
const MBID = 'f22942a1-6f70-4f48-866e-238cb2308fbd';
const STREAMING_ID = '6kBDZFXuLrZgHnvmPu9NsG';
const CHANNEL_ID = 'UC4hfA78X-lqiRERBZLTnLBw';

const artist = { realname: null, profile: null, urls: [], aliases: [] };
const sure = { confidence: 0.9, verified: true };
const unsure = { confidence: 0.9, verified: false };

const service = withResolve(
  rowsOf(
    catalogArtist,
    {
      ...artist,
      catalog_artist_id: 45,
      name: 'Aphex Twin',
      slug: 'aphex-twin',
      urls: [
        'http://www.cheetah-ep.com',
        'http://warp.net/artists/aphex-twin',
        'http://soundcloud.com/shared',
      ],
    },
    { ...artist, catalog_artist_id: 46, name: 'Mono (2)', slug: 'mono-2' },
    { ...artist, catalog_artist_id: 47, name: 'Mono (3)', slug: 'mono-3' },
    { ...artist, catalog_artist_id: 48, name: 'Wham!', slug: 'wham' },
  ),
  rowsOf(
    artistIdentityBridge,
    { cluster_id: APHEX, catalog_artist_id: 45, catalog_artist_id_count: 1, is_exact: true, mbid: MBID },
    { cluster_id: WINK, catalog_artist_id: 999, catalog_artist_id_count: 1, is_exact: true },
    { cluster_id: LABEL, catalog_artist_id: 998, catalog_artist_id_count: 3, is_exact: true },
  ),
  rowsOf(
    performingEntity,
    { cluster_id: APHEX, name: 'Aphex Twin', slug: 'aphex-twin' },
    { cluster_id: WINK, name: 'Josh Wink', slug: 'josh-wink' },
    { cluster_id: POOLEY, name: 'Ian Pooley', slug: 'ian-pooley' },
    { cluster_id: LABEL, name: 'Ovum', slug: 'ovum' },
  ),
  rowsOf(
    clusterAuthorityIdsV1,
    { cluster_id: APHEX, scheme: 'catalog', value: '44', ...sure },
    { cluster_id: APHEX, scheme: 'storefront', value: 'aphextwin', ...sure },
    { cluster_id: APHEX, scheme: 'streaming', value: STREAMING_ID, ...unsure },
    { cluster_id: APHEX, scheme: 'website', value: 'x', url: 'http://aphextwin.warp.net', ...sure },
    { cluster_id: WINK, scheme: 'audioshare', value: 'x', url: 'http://soundcloud.com/JoshWink', ...sure },
    { cluster_id: WINK, scheme: 'photoshare', value: 'joshwink1', ...sure },
    { cluster_id: WINK, scheme: 'videoshare', value: CHANNEL_ID, ...sure },
    { cluster_id: WINK, scheme: 'website', value: 'joshwink.com', ...sure },
    { cluster_id: WINK, scheme: 'website', value: 'ovum.net', ...sure },
    { cluster_id: WINK, scheme: 'storefront', value: 'ovumrec', ...unsure },
    { cluster_id: POOLEY, scheme: 'storefront', value: 'ovumrec', ...unsure },
    { cluster_id: WINK, scheme: 'storefront', value: 'contested', ...unsure },
    { cluster_id: POOLEY, scheme: 'storefront', value: 'contested', ...sure },
    { cluster_id: WINK, scheme: 'website', value: 'ovumrecordings.com', ...sure },
    { cluster_id: POOLEY, scheme: 'website', value: 'ovumrecordings.com', ...sure },
    { cluster_id: APHEX, scheme: 'website', value: 'split', url: 'https://split.example', ...sure },
    { cluster_id: POOLEY, scheme: 'website', value: 'split', url: 'https://split.example', ...sure },
  ),
  rowsOf(
    artistWebPresence,
    {
      cluster_id: POOLEY,
      storefront_url: 'https://music.ianpooley.com',
      audioshare_url: 'https://soundcloud.com/shared',
      website_url: 'https://aphextwin.bandcamp.com',
    },
    { cluster_id: WINK, videoshare_url: 'https://www.youtube.com/@shared' },
    { cluster_id: LABEL, videoshare_url: 'https://youtube.com/@Shared/videos' },
  ),
);
const { resolve, rejected } = service;

/** The links of these tests, with their artists. */
const HITS: readonly (readonly [url: string, matchedOn: string, cluster: string, via: string])[] = [
  ['https://www.discogs.com/artist/45-Aphex-Twin', 'catalog', APHEX, 'catalog'],
  ['discogs.com/de/artist/045', 'catalog', APHEX, 'catalog'],
  [`https://musicbrainz.org/artist/${MBID.toUpperCase()}/releases`, 'mbid', APHEX, 'catalog'],
  ['https://aphextwin.bandcamp.com/album/syro?from=x', 'storefront', APHEX, 'catalog'],
  ['„http://AphexTwin.bandcamp.com“.', 'storefront', APHEX, 'catalog'],
  ['http://aphextwin.warp.net', 'website', APHEX, 'catalog'],
  ['https://www.joshwink.com/', 'website', WINK, 'cluster'],
  ['https://joshwink.com/tour/2019', 'website', WINK, 'cluster'],
  ['https://joshwink.com/nobodys-album', 'website', WINK, 'cluster'],
  ['https://joshwink.com/artist/josh-wink', 'website', WINK, 'cluster'],
  ['https://ovum.net/news', 'website', WINK, 'cluster'],
  ['https://m.soundcloud.com/joshwink/sets/x', 'audioshare', WINK, 'cluster'],
  ['instagram.com/joshwink1', 'photoshare', WINK, 'cluster'],
  [`https://www.youtube.com/channel/${CHANNEL_ID}/videos`, 'videoshare', WINK, 'cluster'],
  ['https://contested.bandcamp.com', 'storefront', POOLEY, 'cluster'],
];
const UNVERIFIED = 'The page is recorded for this artist but not verified.';
const UNVERIFIED_HITS: typeof HITS = [
  [`https://open.spotify.com/intl-de/artist/${STREAMING_ID}?si=x`, 'streaming', APHEX, 'catalog'],
  [`spotify:artist:${STREAMING_ID}`, 'streaming', APHEX, 'catalog'],
  ['https://www.cheetah-ep.com', 'website', APHEX, 'catalog'],
  ['https://music.ianpooley.com/album/x', 'website', POOLEY, 'cluster'],
  ['https://soundcloud.com/shared', 'audioshare', APHEX, 'catalog'],
];
const HANDLE = 'The site is unknown; the handle in the link was used as a name.';
const NAMES: readonly (readonly [url: string, slug: string | null, note: string])[] = [
  ['https://twitter.com/Aphex_Twin', 'aphex-twin', HANDLE],
  ['https://www.beatport.com/artist/aphex-twin/8888', 'aphex-twin', HANDLE],
  ['https://equipboard.test/pros/josh-wink', 'josh-wink', HANDLE],
  ['https://www.facebook.com/Ian.Pooley', null, `${HANDLE} No artist has exactly that name.`],
  ['https://nobody.example', null, `${HANDLE} No artist has exactly that name.`],
  [
    'https://twitter.com/mono',
    null,
    `${HANDLE} Several artists match that name equally well, so none was chosen.`,
  ],
  [
    'https://www.last.fm/music/Aphex+Twin/+albums',
    'aphex-twin',
    'The link contains a name and no id; the name was looked up.',
  ],
  ['https://www.last.fm/music/Wham!', 'wham', 'The link contains a name and no id; the name was looked up.'],
  [
    'https://ra.co/dj/ianpooley',
    null,
    'Pages of the event listing are not indexed; the handle in the link was used as a name. No artist has exactly that name.',
  ],
  [
    'https://ra.co/dj/ian-pooley',
    'ian-pooley',
    'Pages of the event listing are not indexed; the handle in the link was used as a name.',
  ],
  ['https://ovumrecordings.com/artists/josh-wink', 'josh-wink', HANDLE],
];
const SEVERAL = 'Several artists match this page equally well, so none was chosen.';
const MISSES: readonly (readonly [url: string, note: string])[] = [
  [
    'https://www.discogs.com/release/45-Title',
    'The link does not lead to an artist of the site but to a release, a label, a track or another page.',
  ],
  ['https://www.discogs.com/artist/777', 'No artist has this catalog id.'],
  ['https://www.discogs.com/artist/998', 'No artist has this catalog id.'],
  ['https://musicbrainz.org/artist/ffffffff-ffff-4fff-8fff-ffffffffffff', 'No artist has this mbid id.'],
  ['https://joshwink.bandcamp.com', 'No artist has this page.'],
  ['https://soundcloud.com/aphex-twin', 'No artist has this page.'],
  [
    `https://open.spotify.com/track/${STREAMING_ID}`,
    'The link does not lead to an artist of the site but to a release, a label, a track or another page.',
  ],
  ['https://youtu.be/dQw4w9WgXcQ', 'A short link hides its target, and links are never fetched.'],
  ['https://ovumrec.bandcamp.com', SEVERAL],
  ['https://youtube.com/@shared', SEVERAL],
  ['https://ovumrecordings.com', SEVERAL],
  ['https://split.example', SEVERAL],
  ['https://ovumrecordings.com/artists/nobody', SEVERAL],
  [
    'https://joshwink.com/artists/ian-pooley',
    'The website is recorded for one artist, but the page has the name of another, so none was chosen.',
  ],
  [`https://joshwink.com/${'x'.repeat(2_048)}`, 'The link is longer than 2048 characters.'],
];

describe('a pasted link', () => {
  it.each(HITS)('is matched: %s', async (url, matchedOn, cluster, via) => {
    const response = await resolve({ url });
    expect(response).toMatchObject({
      cluster_id: cluster,
      resolved_from: 'url',
      resolved_via: via,
      matched_on: matchedOn,
      _links: { artist: `/api/v2/artist/${via === 'catalog' ? 'aphex-twin' : cluster}` },
    });
    expect(response.note).toBeUndefined();
  });

  it.each(UNVERIFIED_HITS)(
    'is matched, with a note if no authority confirms it: %s',
    async (url, on, cluster, via) => {
      expect(await resolve({ url })).toMatchObject({
        cluster_id: cluster,
        resolved_from: 'url',
        resolved_via: via,
        matched_on: on,
        note: UNVERIFIED,
      });
    },
  );

  it.each(NAMES)('falls back to the handle as a name, with a note: %s', async (url, slug, note) => {
    const response = await resolve({ url });
    if (slug === null) {
      expect(response).toEqual({ ...UNRESOLVED, resolved_from: 'url', note, parsed: expect.anything() });
    } else {
      expect(response).toMatchObject({ slug, matched_on: 'name', resolved_from: 'url', note });
    }
  });

  it.each(MISSES)('is unresolved with a note if no artist is certain: %s', async (url, note) => {
    expect(await resolve({ url })).toEqual({
      ...UNRESOLVED,
      resolved_from: 'url',
      note,
      parsed: expect.anything(),
    });
  });

  it('is returned with its parsed parts', async () => {
    const parsed = async (url: string) => (await resolve({ url })).parsed;
    expect(await parsed('http://m.soundcloud.com/JoshWink/')).toEqual({
      source: 'audioshare',
      kind: 'page',
      id: 'joshwink',
      canonical_url: 'https://soundcloud.com/joshwink',
    });
    expect(await parsed('https://twitter.com/Aphex_Twin')).toEqual({
      source: null,
      kind: 'name',
      id: 'Aphex_Twin',
      canonical_url: null,
    });
    expect(await parsed('https://bit.ly/x')).toEqual({
      source: null,
      kind: 'none',
      id: null,
      canonical_url: null,
    });
  });

  it('is returned whole, with every kind of locator', async () => {
    expect(await resolve({ url: 'https://joshwink.com' })).toEqual({
      cluster_id: WINK,
      slug: 'josh-wink',
      display: 'Josh Wink',
      locators: {
        catalog: 999,
        mbid: null,
        storefront: ['contested', 'ovumrec'],
        audioshare: ['x'],
        photoshare: ['joshwink1'],
        streaming: [],
        videoshare: [CHANNEL_ID, 'youtube.com/@shared'],
        website: ['joshwink.com', 'ovum.net', 'ovumrecordings.com'],
      },
      resolved_via: 'cluster',
      resolved_from: 'url',
      matched_on: 'website',
      parsed: {
        source: 'website',
        kind: 'website',
        id: 'joshwink.com',
        canonical_url: 'https://joshwink.com',
      },
      _links: {
        artist: `/api/v2/artist/${WINK}`,
        artist_dossier_by_slug: '/api/v2/dossier/artist/josh-wink',
      },
    });
  });

  it.each(['aphex twin', 'mailto:a@b.example', 'http://127.0.0.1/artist/45', '//', 'St.Germain'])(
    'is rejected if malformed: %s',
    async (url) => {
      expect(await rejected({ url })).toMatchObject({
        error: 'invalid_locator',
        param: 'url',
        message: 'url is not the URL of a web page.',
        hint: expect.stringContaining('by name with q'),
      });
    },
  );
});

describe('an id that the catalogue lacks', () => {
  it('resolves to the cluster bound to it', async () => {
    expect(await resolve({ catalog: '999' })).toMatchObject({
      cluster_id: WINK,
      resolved_via: 'cluster',
      matched_on: 'catalog',
      note: 'The catalogue has no artist with this id; this is the cluster that the id is bound to.',
    });
  });

  it('resolves to the artist whose cluster an authority binds it to', async () => {
    const ofAphex = {
      cluster_id: APHEX,
      resolved_via: 'catalog',
      matched_on: 'catalog',
      locators: { catalog: 45 },
      note: 'The catalogue has no artist with this id; this is the artist whose cluster the id belongs to.',
    };
    expect(await resolve({ catalog: '44' })).toMatchObject(ofAphex);
    expect(await resolve({ url: 'https://www.discogs.com/artist/44' })).toMatchObject(ofAphex);
  });

  it('is unresolved if it folded into a cluster with others', async () => {
    expect(await resolve({ catalog: '998' })).toEqual({
      ...UNRESOLVED,
      resolved_from: 'locator',
      note: 'No artist has this catalog id.',
    });
  });
});

describe('links', () => {
  afterEach(() => vi.restoreAllMocks());

  /** Records and blocks every connection and look-up except those of the database. */
  function watchNetwork(): string[] {
    const reached: string[] = [];
    const { connect } = Socket.prototype;
    const databasePort = Number(new URL(service.url).port);
    vi.spyOn(Socket.prototype, 'connect').mockImplementation(function (this: Socket, ...given: unknown[]) {
      const isDatabase = given.flat().some((part) => portOf(part) === databasePort);
      if (isDatabase) return Reflect.apply(connect, this, given);
      reached.push(`connect ${JSON.stringify(given)}`);
      throw new Error('no way out');
    });
    const block = (what: string) => () => {
      reached.push(what);
      throw new Error('no names');
    };
    for (const name of ['lookup', 'resolve', 'resolve4', 'resolve6', 'resolveAny'] as const) {
      vi.spyOn(dns, name).mockImplementation(block(name) as never);
      if (name in dns.promises) vi.spyOn(dns.promises, name).mockImplementation(block(name) as never);
    }
    return reached;
  }

  const portOf = (part: unknown): unknown =>
    typeof part === 'object' && part !== null && 'port' in part ? Number(part.port) : part;

  it('are never fetched and their hosts never looked up', async () => {
    const reached = watchNetwork();
    const urls = [...HITS, ...UNVERIFIED_HITS, ...NAMES, ...MISSES].map(([url]) => url);
    for (const url of urls) await resolve({ url });
    await service.batch(urls.map((url) => ({ url })));
    await rejected({ url: 'http://127.0.0.1/' });
    expect(reached).toEqual([]);
  });

  it('would be detected if fetched', async () => {
    const reached = watchNetwork();
    await expect(fetch('http://mono.example')).rejects.toThrow();
    expect(reached).not.toEqual([]);
  });
});
