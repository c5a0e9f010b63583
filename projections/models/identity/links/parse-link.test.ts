import { describe, expect, it } from 'vitest';
import { parseLink } from './parse-link.ts';

const MBID = '5e836184-f179-4e27-b96c-9b622a2626d6';
const STREAMING_ID = '7EQ0qTo7fWT7DPxmxtSYEc';
const CHANNEL_ID = 'UC4hfA78X-lqiRERBZLTnLBw';

describe('a link to an artist with an id', () => {
  it.each([
    'https://www.discogs.com/artist/45-Aphex-Twin',
    'http://discogs.com/artist/45',
    'https://m.discogs.com/artist/45-Aphex-Twin',
    'https://www.discogs.com/artist/45/',
    'https://www.discogs.com/de/artist/45-Aphex-Twin',
    'https://www.discogs.com/pt_BR/artist/45-Aphex-Twin',
    'https://www.discogs.com/zh-cn/artist/45',
    'https://www.discogs.com/artist/45-Aphex-Twin?sort=year%2Cdesc&limit=500#releases',
    'https://www.discogs.com/artist/45-Aphex-Twin/images',
    'https://www.discogs.com//artist//45',
    'https://www.discogs.com/artist/00045-Aphex-Twin',
    'https://www.discogs.com/artist/45-%C3%85sa-%ZZ',
    'https://www.discogs.com/%61rtist/%34%35',
    'https://www.discogs.com/user/../artist/45',
  ])('of the catalogue is read: %s', (text) => {
    expect(parseLink(text)).toEqual({
      kind: 'id',
      source: 'catalog',
      id: '45',
      canonical_url: 'https://www.discogs.com/artist/45',
      names: [],
      note: null,
    });
  });

  it.each([
    `https://musicbrainz.org/artist/${MBID}`,
    `https://beta.musicbrainz.org/artist/${MBID}`,
    `http://www.musicbrainz.org/artist/${MBID}/releases?page=2`,
    `https://musicbrainz.org/artist/${MBID.toUpperCase()}/relationships#x`,
  ])('of the metadata database is read: %s', (text) => {
    expect(parseLink(text)).toEqual({
      kind: 'id',
      source: 'mb',
      id: MBID,
      canonical_url: `https://musicbrainz.org/artist/${MBID}`,
      names: [],
      note: null,
    });
  });
});

describe('a link to a page of an artist', () => {
  it.each([
    ['https://joshwink.bandcamp.com', 'storefront', 'joshwink', 'https://joshwink.bandcamp.com'],
    ['http://JoshWink.Bandcamp.COM/', 'storefront', 'joshwink', 'https://joshwink.bandcamp.com'],
    [
      'https://joearmon-jones.bandcamp.com/music',
      'storefront',
      'joearmon-jones',
      'https://joearmon-jones.bandcamp.com',
    ],
    ['https://c418.bandcamp.com/album/one?from=search', 'storefront', 'c418', 'https://c418.bandcamp.com'],
    ['https://c418.bandcamp.com/track/sweden#lyrics', 'storefront', 'c418', 'https://c418.bandcamp.com'],
    ['www.c418.bandcamp.com/merch', 'storefront', 'c418', 'https://c418.bandcamp.com'],

    [
      'https://soundcloud.com/RichardDJames',
      'audioshare',
      'richarddjames',
      'https://soundcloud.com/richarddjames',
    ],
    [
      'https://m.soundcloud.com/user18081971',
      'audioshare',
      'user18081971',
      'https://soundcloud.com/user18081971',
    ],
    ['http://www.soundcloud.com/a_b-c/', 'audioshare', 'a_b-c', 'https://soundcloud.com/a_b-c'],
    [
      'https://soundcloud.com/jazzanova/sets/live?si=1',
      'audioshare',
      'jazzanova',
      'https://soundcloud.com/jazzanova',
    ],
    [
      'https://soundcloud.com/jazzanova/a-track#t=0:30',
      'audioshare',
      'jazzanova',
      'https://soundcloud.com/jazzanova',
    ],
    [
      'https://soundcloud.com/#!/jazzanova/tracks',
      'audioshare',
      'jazzanova',
      'https://soundcloud.com/jazzanova',
    ],
    [
      'https://m.soundcloud.com/#!jazzanova?x=1',
      'audioshare',
      'jazzanova',
      'https://soundcloud.com/jazzanova',
    ],

    [
      'https://www.instagram.com/InstaphEx/',
      'photoshare',
      'instaphex',
      'https://www.instagram.com/instaphex',
    ],
    [
      'https://instagram.com/ianpooley.ofc?igshid=x',
      'photoshare',
      'ianpooley.ofc',
      'https://www.instagram.com/ianpooley.ofc',
    ],
    ['https://m.instagram.com/_dj_/reels/', 'photoshare', '_dj_', 'https://www.instagram.com/_dj_'],
    [
      'https://instagram.com/stories/joshwink1/31415',
      'photoshare',
      'joshwink1',
      'https://www.instagram.com/joshwink1',
    ],
    [
      'https://www.instagram.com/_u/joshwink1',
      'photoshare',
      'joshwink1',
      'https://www.instagram.com/joshwink1',
    ],
    ['https://instagr.am/joshwink1', 'photoshare', 'joshwink1', 'https://www.instagram.com/joshwink1'],
    ['instagram.com/@joshwink1', 'photoshare', 'joshwink1', 'https://www.instagram.com/joshwink1'],

    [
      'https://vimeo.com/User68205945',
      'videoshare',
      'vimeo.com/user68205945',
      'https://vimeo.com/user68205945',
    ],
    ['http://www.vimeo.com/warp/videos', 'videoshare', 'vimeo.com/warp', 'https://vimeo.com/warp'],
  ])('is read: %s', (text, source, id, canonical_url) => {
    expect(parseLink(text)).toEqual({ kind: 'page', source, id, canonical_url, names: [], note: null });
  });

  it.each([
    `https://open.spotify.com/artist/${STREAMING_ID}`,
    `https://open.spotify.com/artist/${STREAMING_ID}/discography/all?si=abc`,
    `https://open.spotify.com/intl-de/artist/${STREAMING_ID}`,
    `https://open.spotify.com/intl-pt-BR/artist/${STREAMING_ID}`,
    `https://open.spotify.com/embed/artist/${STREAMING_ID}?theme=0`,
    `https://open.spotify.com/intl-fr/embed/artist/${STREAMING_ID}`,
    `https://embed.spotify.com/?uri=spotify%3Aartist%3A${STREAMING_ID}`,
    `https://play.spotify.com/artist/${STREAMING_ID}`,
    `spotify.com/artist/${STREAMING_ID}`,
    `spotify:artist:${STREAMING_ID}`,
    ` <Spotify:Artist:${STREAMING_ID}>.`,
    `spotify:artist:${STREAMING_ID}:top:tracks`,
    `spotify:artist:${STREAMING_ID}?si=1`,
    `spotify://artist/${STREAMING_ID}`,
  ])('of the streaming site is read: %s', (text) => {
    expect(parseLink(text)).toEqual({
      kind: 'page',
      source: 'streaming',
      id: STREAMING_ID,
      canonical_url: `https://open.spotify.com/artist/${STREAMING_ID}`,
      names: [],
      note: null,
    });
  });

  it.each([
    [`https://www.youtube.com/channel/${CHANNEL_ID}`, `channel/${CHANNEL_ID}`],
    [`https://m.youtube.com/channel/${CHANNEL_ID}/videos?view=0`, `channel/${CHANNEL_ID}`],
    [`https://music.youtube.com/channel/${CHANNEL_ID}`, `channel/${CHANNEL_ID}`],
    [`https://music.youtube.com/browse/${CHANNEL_ID}`, `channel/${CHANNEL_ID}`],
    ['https://youtube.com/@AphexTwin', '@aphextwin'],
    ['https://youtube.com/%40AphexTwin/featured', '@aphextwin'],
    ['http://www.youtube.com/user/AphexVEVO#p/u', 'user/aphexvevo'],
    ['https://www.youtube.com/c/AphexTwin/about', 'c/aphextwin'],
    ['http://www.youtube.com/daveangeltv', 'daveangeltv'],
  ])('of the video-sharing site is read: %s', (text, path) => {
    expect(parseLink(text)).toEqual({
      kind: 'page',
      source: 'videoshare',
      id: `youtube.com/${path}`,
      canonical_url: `https://www.youtube.com/${path}`,
      names: [],
      note: null,
    });
  });

  it('is read in every script', () => {
    const link = { kind: 'page', source: 'videoshare', id: 'youtube.com/@坂本龍一é' };
    for (const text of [
      'https://www.youtube.com/@坂本龍一É',
      'https://www.youtube.com/@坂本龍一E\u0301',
      'https://www.youtube.com/@%E5%9D%82%E6%9C%AC%E9%BE%8D%E4%B8%80%C3%89',
    ]) {
      expect(parseLink(text)).toMatchObject({
        ...link,
        canonical_url: 'https://www.youtube.com/@%E5%9D%82%E6%9C%AC%E9%BE%8D%E4%B8%80%C3%A9',
      });
    }
  });
});

describe('a link that spells a name', () => {
  it.each([
    ['https://www.last.fm/music/Ian+Pooley', ['Ian Pooley'], 'Ian+Pooley'],
    ['http://last.fm/music/Ian%20Pooley/', ['Ian Pooley'], 'Ian+Pooley'],
    ['https://www.last.fm/de/music/Ian+Pooley/+albums?page=2', ['Ian Pooley'], 'Ian+Pooley'],
    ['https://www.lastfm.de/music/+noredirect/Ian+Pooley', ['Ian Pooley'], 'Ian+Pooley'],
    ['https://cn.last.fm/music/Bj%C3%B6rk', ['Björk'], 'Bj%C3%B6rk'],
    ['https://www.last.fm/music/AC%2FDC', ['AC/DC'], 'AC%2FDC'],
    [
      'https://www.last.fm/music/Florence+%252B+the+Machine',
      ['Florence + the Machine'],
      'Florence+%2B+the+Machine',
    ],
    ['https://www.last.fm/music/100%2525', ['100%'], '100%2525'],
    ['https://www.last.fm/music/Wham!', ['Wham!', 'Wham'], 'Wham%21'],
    ['https://www.last.fm/music/M.I.A.', ['M.I.A.', 'M.I.A'], 'M.I.A%2E'],
    ['https://www.last.fm/music/Therapy?', ['Therapy?', 'Therapy'], 'Therapy%3F'],
    ['https://www.last.fm/music/!!!', ['!!!'], '!!%21'],
    ['(https://www.last.fm/music/Wham!).', ['Wham!', 'Wham'], 'Wham%21'],
    ['https://www.last.fm/music/Foals, and', ['Foals, and'], 'Foals%2C+and'],
    ['https://www.last.fm/music/Foals,', ['Foals'], 'Foals'],
  ])('to the scrobbler is read: %s', (text, names, path) => {
    expect(parseLink(text)).toEqual({
      kind: 'name',
      source: 'scrobbler',
      id: names[0],
      canonical_url: `https://www.last.fm/music/${path}`,
      names,
      note: 'The link contains a name and no id; the name was looked up.',
    });
  });

  it.each([
    ['https://ra.co/dj/A-Trak', 'a-trak', ['a-trak', 'a trak']],
    [
      'https://de.ra.co/dj/joearmon-jones/past-events?x=1',
      'joearmon-jones',
      ['joearmon-jones', 'joearmon jones'],
    ],
    ['https://www.residentadvisor.net/dj/washedout', 'washedout', ['washedout']],
  ])('to the event listing is read: %s', (text, id, names) => {
    expect(parseLink(text)).toEqual({
      kind: 'name',
      source: 'listing',
      id,
      canonical_url: `https://ra.co/dj/${id}`,
      names,
      note: 'Pages of the event listing are not indexed; the handle in the link was used as a name.',
    });
  });

  it.each([
    ['http://www.discogs.com/artist/Aphex+Twin', ['Aphex Twin'], 'Aphex%20Twin'],
    ['http://www.discogs.com/artist/808+State', ['808 State'], '808%20State'],
    ['http://www.discogs.com/artist/Mono+%282%29', ['Mono (2)'], 'Mono%20(2%29'],
  ])('to an old page of the catalogue is read: %s', (text, names, path) => {
    expect(parseLink(text)).toEqual({
      kind: 'name',
      source: 'catalog',
      id: names[0],
      canonical_url: `https://www.discogs.com/artist/${path}`,
      names,
      note: 'The link contains a name instead of a catalogue id; the name was looked up.',
    });
  });

  it.each([
    ['https://www.facebook.com/JoshWinkOfficial', ['JoshWinkOfficial']],
    ['https://www.facebook.com/pages/Josh-Wink/123?ref=ts', ['Josh-Wink', 'Josh Wink']],
    ['https://x.com/joshwink1/status/1234567890', ['joshwink1']],
    ['https://www.tiktok.com/@josh.wink', ['josh.wink']],
    ['http://www.songkick.com/artists/250682-josh-wink', ['josh-wink', 'josh wink']],
    ['http://en.wikipedia.org/wiki/Josh_Wink', ['Josh_Wink', 'Josh Wink']],
    ['https://music.apple.com/us/artist/josh-wink/12345', ['josh-wink', 'josh wink']],
    ['https://www.linkedin.com/in/josh-wink/', ['josh-wink', 'josh wink']],
    ['https://en.wikipedia.org/wiki/Mateo_%26_Matos', ['Mateo_&_Matos', 'Mateo & Matos']],
    ['https://www.whosampled.com/Wham!', ['Wham', 'Wham!']],
    [
      'https://en.wikipedia.org/wiki/A_Guy_Called?',
      ['A_Guy_Called', 'A Guy Called', 'A_Guy_Called?', 'A Guy Called?'],
    ],
    ['https://www.mixcloud.com/@joshwink/posts/other', ['joshwink']],
    ['https://soundcloud.com.x.com/joshwink', ['joshwink']],
  ])('to a site of many people is read: %s', (text, names) => {
    expect(parseLink(text)).toEqual({
      kind: 'name',
      source: null,
      id: names[0],
      canonical_url: null,
      names,
      note: 'The site is unknown; the handle in the link was used as a name.',
    });
  });
});

it.each([
  'https://bandsintown.com',
  'https://www.facebook.com/profile.php?id=704672812',
  'https://www.beatport.com/release/title/123',
  'https://www.instagram.com.x.com/123',
])('a link to a site of many people has no handle: %s', (text) => {
  expect(parseLink(text)).toEqual({
    kind: 'none',
    source: null,
    id: null,
    canonical_url: null,
    names: [],
    note: 'The site is unknown, and the link contains no handle.',
  });
});

describe('a link to any other host', () => {
  it.each([
    ['http://www.joshwink.com/', 'joshwink.com', ['joshwink'], true],
    ['HTTPS://JoshWink.com?utm=1#top', 'joshwink.com', ['joshwink'], true],
    ['www.daveangel.co.uk', 'daveangel.co.uk', ['daveangel'], true],
    ['http://aphextwin.warp.net', 'aphextwin.warp.net', ['aphextwin'], true],
    ['https://shop.joshwink.com', 'shop.joshwink.com', ['joshwink'], true],
    ['https://en.joshwink.com', 'en.joshwink.com', ['joshwink'], true],
    ['http://warp.net/artists/91412-afx/info', 'warp.net', ['afx'], false],
    ['https://equipboard.test/pros/aphex-twin', 'equipboard.test', ['aphex-twin', 'aphex twin'], false],
    ['https://music.aphextwin.com/album/syro', 'music.aphextwin.com', ['aphextwin'], false],
    ['https://joshwink.com/tour/2019', 'joshwink.com', ['joshwink'], false],
    ['https://a.b.example.com/release/syro', 'a.b.example.com', [], false],
    ['https://a.b.example.com/?artist=a', 'a.b.example.com', [], true],
    ['http://warp.net/artists/boards-of-canada', 'warp.net', ['boards-of-canada', 'boards of canada'], false],
    ['https://example.com/us/artist/Josh_Wink.html', 'example.com', ['Josh_Wink', 'Josh Wink'], false],
    ['https://example.com/2019/06/', 'example.com', ['example'], false],
    ['https://www.com', 'www.com', ['www'], true],
    ['https://www.www.joshwink.com', 'joshwink.com', ['joshwink'], true],
    ['https://motörhead.de', 'xn--motrhead-p4a.de', ['motörhead'], true],
    ['https://MOTO\u0308RHEAD.de', 'xn--motrhead-p4a.de', ['motörhead'], true],
    ['https://xn--motrhead-p4a.de', 'xn--motrhead-p4a.de', ['motörhead'], true],
    ['https://mono.example', 'mono.example', ['mono'], true],
    ['https://mono.unlisted', 'mono.unlisted', ['mono'], true],
    [`https://${'a.'.repeat(125)}com`, `${'a.'.repeat(125)}com`, [], true],
    [`https://${'a'.repeat(63)}.com`, `${'a'.repeat(63)}.com`, ['a'.repeat(63)], true],
    ['https://a_b.example.com', 'a_b.example.com', ['a_b', 'a b'], true],
    ['https://a.b.example.com', 'a.b.example.com', [], true],
  ])('names a website: %s', (text, id, names, is_front_page) => {
    expect(parseLink(text)).toEqual({
      kind: 'website',
      source: 'website',
      id,
      canonical_url: `https://${id}`,
      is_front_page,
      names,
      note:
        names.length === 0 ? expect.stringContaining('no handle') : expect.stringContaining('used as a name'),
    });
  });
});

describe('a pasted text', () => {
  it.each([
    'discogs.com/artist/45',
    'www.discogs.com/artist/45-Aphex-Twin',
    '//www.discogs.com/artist/45',
    'DISCOGS.COM/artist/45',
    '  https://www.discogs.com/artist/45 \n',
    '\u200bhttps://www.discogs.com/artist/45\u200b\ufeff',
    '\u00a0https://www.discogs.com/artist/45\u3000',
    '"https://www.discogs.com/artist/45"',
    '“https://www.discogs.com/artist/45”,',
    '«https://www.discogs.com/artist/45»',
    '<https://www.discogs.com/artist/45>',
    '(https://www.discogs.com/artist/45)',
    '[https://www.discogs.com/artist/45].',
    '`https://www.discogs.com/artist/45`',
    'https://www.discogs.com/artist/45.',
    'https://www.discogs.com/artist/45?!',
    'https://www.discogs.com/artist/45…',
    'https://www.discogs.com/artist/45/,',
    'https%3A%2F%2Fwww.discogs.com%2Fartist%2F45-Aphex-Twin',
    'HTTPS%3a%2f%2fwww.discogs.com%2fartist%2f45',
  ])('is stripped of characters around the link: %j', (text) => {
    expect(parseLink(text)).toMatchObject({ kind: 'id', source: 'catalog', id: '45' });
  });

  it('may end in a host and a full stop', () => {
    expect(parseLink('joshwink.bandcamp.com.')).toMatchObject({ source: 'storefront', id: 'joshwink' });
  });

  it('keeps a parenthesis of the URL', () => {
    expect(parseLink('https://en.wikipedia.org/wiki/Mono_(band)').names).toEqual([
      'Mono_(band)',
      'Mono (band)',
    ]);
  });

  it.each([
    '',
    '   ',
    '""',
    '.',
    'Aphex Twin',
    'aphextwin',
    'St.Germain',
    'spotify:',
    '@aphextwin',
    'aphex@twin.com',
    'mailto:aphex@twin.com',
    'https://',
    'https:///discogs.com/artist/45',
    'https:/discogs.com/artist/45',
    'https:discogs.com/artist/45',
    'https://https://discogs.com/artist/45',
    'ftp://discogs.com/artist/45',
    'javascript:alert(1)//discogs.com/artist/45',
    'javascript://discogs.com/artist/45',
    'data:text/html,https://discogs.com/artist/45',
    'file:///etc/passwd',
    'blob:https://discogs.com/artist/45',
    'http://localhost/artist/45',
    'http://co.uk',
    'https://mot%C3%B6rhead.de',
    'https://a.)',
    `https://${'a.'.repeat(126)}com`,
    `https://${'a'.repeat(64)}.com`,
    'https://a-.com',
    'https://a..com',
    'http://127.0.0.1/artist/45',
    'http://0x7f.1/artist/45',
    'http://2130706433/',
    'http://[::1]/artist/45',
    'http://[::ffff:127.0.0.1]/',
    'https://\ud800.com',
    'https://joshwink.com/\udfff',
    'https://joshwink.com/%00',
  ])('is no link: %j', (text) => {
    expect(parseLink(text)).toEqual({
      kind: 'none',
      source: null,
      id: null,
      canonical_url: null,
      names: [],
      note: 'The text is not a plain web address.',
    });
  });

  it('has a maximum length', () => {
    const link = 'https://discogs.com/artist/45?';
    expect(parseLink(link.padEnd(2_048, 'x')).id).toBe('45');
    expect(parseLink(link.padEnd(2_049, 'x'))).toMatchObject({
      kind: 'none',
      note: 'The link is longer than 2048 characters.',
    });
  });
});

describe('a link to a known site', () => {
  it.each([
    ['catalog', 'https://www.discogs.com/release/1-Title'],
    ['catalog', 'https://www.discogs.com/master/45'],
    ['catalog', 'https://www.discogs.com/label/1-Name'],
    ['catalog', 'https://www.discogs.com/user/JoshWink'],
    ['catalog', 'https://www.discogs.com/search/?q=artist/45'],
    ['catalog', 'https://www.discogs.com/?u=/artist/45'],
    ['catalog', 'https://www.discogs.com/#/artist/45'],
    ['catalog', 'https://www.discogs.com/artist/0'],
    ['catalog', 'https://www.discogs.com/artist/99999999999999999999-Name'],
    ['catalog', 'https://www.discogs.com/artist/'],
    ['catalog', 'https://www.discogs.com/artist/Name/more'],
    ['catalog', 'https://www.discogs.com/xyz/artist/45'],
    ['catalog', 'https://blog.discogs.com/artist/45'],
    ['catalog', 'https://www.discogs.com/artist/%2E%2e'],
    ['mb', `https://musicbrainz.org/release/${MBID}`],
    ['mb', `https://musicbrainz.org/label/${MBID}`],
    ['mb', `https://musicbrainz.org/recording/${MBID}`],
    ['mb', `https://musicbrainz.org/artist/${MBID}0`],
    ['mb', 'https://musicbrainz.org/artist/create'],
    ['mb', `https://tickets.musicbrainz.org/artist/${MBID}`],
    ['storefront', 'https://bandcamp.com'],
    ['storefront', 'https://bandcamp.com/afan'],
    ['storefront', 'https://www.bandcamp.com/discover'],
    ['storefront', 'https://daily.bandcamp.com/features/joshwink'],
    ['storefront', 'https://a.b.bandcamp.com'],
    ['storefront', 'https://a_b.bandcamp.com'],
    ['storefront', 'https://ä.bandcamp.com'],
    ['storefront', 'https://popplers5.bandcamp.com/download/track?enc=mp3-128'],
    ['audioshare', 'https://soundcloud.com'],
    ['audioshare', 'https://soundcloud.com/search?q=jazzanova'],
    ['audioshare', 'https://soundcloud.com/tags/house'],
    ['audioshare', 'https://soundcloud.com/Discover/sets/x'],
    ['audioshare', 'https://soundcloud.com/#!/search'],
    ['audioshare', 'https://soundcloud.com/#jazzanova'],
    ['audioshare', 'https://soundcloud.com/jazz%2Fanova'],
    ['audioshare', 'https://soundcloud.com/jazz\u200banova'],
    ['audioshare', 'https://w.soundcloud.com/player/?url=x'],
    ['photoshare', 'https://www.instagram.com/p/CxYz_1/'],
    ['photoshare', 'https://www.instagram.com/reel/CxYz_1/'],
    ['photoshare', 'https://www.instagram.com/explore/tags/techno/'],
    ['photoshare', 'https://www.instagram.com/accounts/login/?next=/joshwink1'],
    ['photoshare', 'https://www.instagram.com/stories/highlights/17/'],
    ['photoshare', 'https://www.instagram.com/stories/'],
    ['photoshare', `https://www.instagram.com/${'a'.repeat(31)}`],
    ['photoshare', 'https://help.instagram.com/joshwink1'],
    ['streaming', `https://open.spotify.com/track/${STREAMING_ID}`],
    ['streaming', `https://open.spotify.com/album/${STREAMING_ID}`],
    ['streaming', `https://open.spotify.com/user/${STREAMING_ID}`],
    ['streaming', `https://open.spotify.com/artist/${STREAMING_ID}x`],
    ['streaming', 'https://open.spotify.com/intl-de'],
    ['streaming', `https://api.spotify.com/artist/${STREAMING_ID}`],
    ['streaming', `https://open.spotify.com/?uri=spotify:artist:${STREAMING_ID}`],
    ['streaming', 'https://embed.spotify.com/'],
    ['streaming', `spotify:track:${STREAMING_ID}`],
    ['streaming', `spotify:artist:${STREAMING_ID}0`],
    ['streaming', 'spotify:artist:7EQ0qTo7fWT7D\nPxmxtSYEc'],
    ['streaming', 'spotify:user:joshwink'],
    ['videoshare', 'https://www.youtube.com'],
    ['videoshare', 'https://www.youtube.com/watch?v=dQw4w9WgXcQ'],
    ['videoshare', 'https://www.youtube.com/shorts/dQw4w9WgXcQ'],
    ['videoshare', 'https://www.youtube.com/playlist?list=PL1'],
    ['videoshare', 'https://www.youtube.com/channel/aphextwin'],
    ['videoshare', `https://www.youtube.com/channel/${CHANNEL_ID.toLowerCase()}`],
    ['videoshare', 'https://www.youtube.com/user/'],
    ['videoshare', 'https://www.youtube.com/@'],
    ['videoshare', 'https://www.youtube.com/@a%20b'],
    ['videoshare', 'https://studio.youtube.com/@aphextwin'],
    ['videoshare', 'https://vimeo.com/12345678'],
    ['videoshare', 'https://vimeo.com/channels/music'],
    ['videoshare', 'https://player.vimeo.com/warp'],
    ['listing', 'https://ra.co/events/1234567'],
    ['listing', 'https://ra.co/clubs/1'],
    ['listing', 'https://ra.co/dj'],
    ['listing', 'https://www.residentadvisor.net/record-label.aspx?id=11231'],
    ['scrobbler', 'https://www.last.fm/user/joshwink'],
    ['scrobbler', 'https://www.last.fm/music/Ian+Pooley/_/900+Degrees'],
    ['scrobbler', 'https://www.last.fm/music/Ian+Pooley/The+Times'],
    ['scrobbler', 'https://www.last.fm/music/+free-music-downloads'],
    ['scrobbler', 'https://www.last.fm/music'],
    ['scrobbler', 'https://www.last.fm/music.'],
    ['scrobbler', 'https://www.last.fm/music/,'],
    ['scrobbler', 'https://www.last.fm/music/..'],
    ['scrobbler', 'https://www.last.fm/!'],
    ['catalog', 'https://www.discogs.com/artist!'],
  ])('of the %s yields neither artist nor name: %j', (source, text) => {
    expect(parseLink(text)).toEqual({
      kind: 'none',
      source,
      id: null,
      canonical_url: null,
      names: [],
      note: 'The link does not lead to an artist of the site but to a release, a label, a track or another page.',
    });
  });

  it.each([
    'https://youtu.be/dQw4w9WgXcQ',
    'on.soundcloud.com/abc',
    'https://spotify.link/abc',
    'https://www.bit.ly/x',
  ])('is not followed if it is shortened: %s', (text) => {
    expect(parseLink(text)).toMatchObject({
      kind: 'none',
      source: null,
      note: expect.stringContaining('short'),
    });
  });

  it('is null if it leads to audio', () => {
    expect(parseLink('https://i1.sndcdn.com/artworks-1.jpg')).toMatchObject({
      kind: 'none',
      source: null,
      note: expect.stringContaining('audio'),
    });
  });
});
