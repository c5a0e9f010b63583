import { describe, expect, it } from 'vitest';
import { CATALOG_ID, CLUSTER, mirrorRows, rowsOf } from '../../../test/support/rows/source-rows.ts';
import { catalogArtist } from '../../contracts/catalog/artist.ts';
import { clusterAuthorityIdsV1 } from '../../contracts/mirror/cluster-authority-ids-v1.ts';
import { artistWebPresence } from '../../contracts/seen/artist-web-presence.ts';
import { subjectRef } from '../../engine/projection.ts';
import { type AuthorityId, knownPages, pageKey, pageText } from './pages.ts';

const STREAMING_ID = '7EQ0qTo7fWT7DPxmxtSYEc';
const CHANNEL_ID = 'UC4hfA78X-lqiRERBZLTnLBw';
const artist = subjectRef('catalog-artist', CATALOG_ID);
const cluster = subjectRef('artist', CLUSTER);

function lookupKeyOf(scheme: AuthorityId['scheme'], value: string, url: string | null): string | null {
  const rows = mirrorRows(rowsOf(clusterAuthorityIdsV1, { scheme, value, url }));
  const [known] = knownPages(null, cluster, rows).authority;
  return known?.page ? pageKey(known.page) : null;
}

describe('the page of an authority', () => {
  it.each([
    ['storefront', 'x', 'https://maxcooper.bandcamp.com/music', 'storefront:maxcooper'],
    ['audioshare', 'x', 'http://soundcloud.com/RichardDJames', 'audioshare:richarddjames'],
    ['photoshare', 'x', 'http://www.instagram.com/instaphex', 'photoshare:instaphex'],
    ['streaming', 'x', `https://open.spotify.com/artist/${STREAMING_ID}`, `streaming:${STREAMING_ID}`],
    ['videoshare', 'x', 'http://vimeo.com/user68205945', 'videoshare:vimeo.com/user68205945'],
    ['website', 'x', 'http://www.cheetah-ep.com', 'website:cheetah-ep.com'],
    ['storefront', 'x', 'https://music.mono.example', 'website:music.mono.example'],
    ['website', 'x', 'https://mono.bandcamp.com', 'storefront:mono'],
  ] as const)('of the scheme %s is read from its URL', (scheme, value, url, key) => {
    expect(lookupKeyOf(scheme, value, url)).toBe(key);
  });

  it.each([
    ['website', 'warp.net', 'http://warp.net/artists/aphex-twin'],
    ['website', 'mono.example', 'https://linktr.ee/mono'],
    ['storefront', 'mono', 'https://label.example/artists/mono'],
  ] as const)('is absent if the URL leads elsewhere, for any value: %s %s', (scheme, value, url) => {
    expect(lookupKeyOf(scheme, value, url)).toBeNull();
  });

  it.each([
    ['storefront', 'maxcooper', 'storefront:maxcooper'],
    ['storefront', 'maxcooper.bandcamp.com', 'storefront:maxcooper'],
    ['storefront', 'music.mono.example', null],
    ['storefront', 'music.mono.com', 'website:music.mono.com'],
    ['audioshare', 'richarddjames', 'audioshare:richarddjames'],
    ['audioshare', 'soundcloud.com/richarddjames', 'audioshare:richarddjames'],
    ['photoshare', 'ianpooley.ofc', 'photoshare:ianpooley.ofc'],
    ['photoshare', 'nina.vegas', 'photoshare:nina.vegas'],
    ['streaming', STREAMING_ID, `streaming:${STREAMING_ID}`],
    ['streaming', `spotify:artist:${STREAMING_ID}`, `streaming:${STREAMING_ID}`],
    ['videoshare', CHANNEL_ID, `videoshare:youtube.com/channel/${CHANNEL_ID}`],
    ['videoshare', '@AphexTwin', 'videoshare:youtube.com/@aphextwin'],
    ['videoshare', 'user/AphexVEVO', 'videoshare:youtube.com/user/aphexvevo'],
    ['videoshare', 'youtube.com/user/AphexVEVO', 'videoshare:youtube.com/user/aphexvevo'],
    ['website', 'aphextwin.warp.net', 'website:aphextwin.warp.net'],
    ['website', 'mono', null],
    ['streaming', 'mono', null],
    ['audioshare', 'a/../b?', null],
    ['mbid', 'aphextwin.warp.net', null],
    ['catalog', '45', null],
  ] as const)('of the scheme %s is read from the value %s without a URL', (scheme, value, key) => {
    expect(lookupKeyOf(scheme, value, null)).toBe(key);
    expect(lookupKeyOf(scheme, value, 'https://')).toBe(key);
  });
});

it('pages are listed by the catalogue, and declared by the artist whatever the column', () => {
  const rows = mirrorRows(
    rowsOf(catalogArtist, {
      urls: [
        'http://www.joshwink.com/',
        'http://www.ovumrecordings.com/artists/josh-wink/',
        'http://twitter.com/joshwink1',
        'http://instagram.com/joshwink1',
        'no link',
      ],
    }),
    rowsOf(artistWebPresence, {
      storefront_url: 'https://music.mono.example',
      website_url: 'https://mono.bandcamp.com',
      audioshare_url: null,
      photoshare_url: '',
      streaming_url: `https://open.spotify.com/artist/${STREAMING_ID}`,
      videoshare_url: 'https://www.youtube.com/@Mono',
    }),
  );
  const { authority, listed, declared } = knownPages(artist, cluster, rows);
  expect(authority).toEqual([]);
  expect(listed.map(pageKey)).toEqual(['website:joshwink.com', 'photoshare:joshwink1']);
  expect(declared.map(pageKey)).toEqual([
    'website:music.mono.example',
    `streaming:${STREAMING_ID}`,
    'videoshare:youtube.com/@mono',
    'storefront:mono',
  ]);
  expect([...listed, ...declared].map(pageText)).toEqual([
    'joshwink.com',
    'instagram.com/joshwink1',
    'music.mono.example',
    STREAMING_ID,
    'youtube.com/@mono',
    'mono.bandcamp.com',
  ]);
  expect(knownPages(null, null, rows)).toEqual({ authority: [], listed: [], declared: [] });
});
