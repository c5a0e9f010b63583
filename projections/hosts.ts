/** The third-party hosts that links are made for, by neutral name. Another mirror is set by the environment. */
export const hosts = {
  coverarchive: hostFrom(process.env.COVERARCHIVE_URL, 'https://coverartarchive.org'),
} as const;

/** Servers of storefronts, audio-sharing and streaming sites that serve audio, not pages. */
export const mediaHosts: readonly RegExp[] = [
  /^[a-z]+\d+\.bcbits\.com\.?$/,
  /^popplers\d*\.bandcamp\.com\.?$/,
  /(?:^|\.)sndcdn\.com\.?$/,
  /(?:^|\.)scdn\.co\.?$/,
];

/** A site whose links are told by their address alone. */
export interface LinkSite {
  /** Registrable domains, new and old. */
  readonly domains: readonly string[];
  /** What may stand before the domain on a page that people link to; the empty text is the domain itself. */
  readonly subdomains: RegExp;
  /** What the canonical address of a page begins with. */
  readonly origin: string;
}

/** The sites that pasted links are recognised by. `filmshare` is a second site for videos. */
export const linkSites = {
  catalog: { domains: ['discogs.com'], subdomains: /^(?:www|m)?$/, origin: 'https://www.discogs.com' },
  mb: { domains: ['musicbrainz.org'], subdomains: /^(?:www|beta)?$/, origin: 'https://musicbrainz.org' },
  // Each artist has a subdomain, whose address is the canonical one.
  storefront: { domains: ['bandcamp.com'], subdomains: /./, origin: 'https://bandcamp.com' },
  audioshare: { domains: ['soundcloud.com'], subdomains: /^(?:www|m)?$/, origin: 'https://soundcloud.com' },
  photoshare: {
    domains: ['instagram.com', 'instagr.am'],
    subdomains: /^(?:www|m)?$/,
    origin: 'https://www.instagram.com',
  },
  streaming: {
    domains: ['spotify.com'],
    subdomains: /^(?:www|open|play|embed)?$/,
    origin: 'https://open.spotify.com',
  },
  videoshare: {
    domains: ['youtube.com'],
    subdomains: /^(?:www|m|music)?$/,
    origin: 'https://www.youtube.com',
  },
  filmshare: { domains: ['vimeo.com'], subdomains: /^(?:www)?$/, origin: 'https://vimeo.com' },
  listing: {
    domains: ['ra.co', 'residentadvisor.net'],
    subdomains: /^(?:www|m|[a-z]{2})?$/,
    origin: 'https://ra.co',
  },
  scrobbler: {
    domains: [
      'last.fm',
      'lastfm.com',
      'lastfm.de',
      'lastfm.es',
      'lastfm.fr',
      'lastfm.it',
      'lastfm.jp',
      'lastfm.pl',
      'lastfm.ru',
      'lastfm.se',
      'lastfm.com.br',
      'lastfm.com.tr',
    ],
    subdomains: /^(?:www|m|[a-z]{2})?$/,
    origin: 'https://www.last.fm',
  },
} as const satisfies Readonly<Record<string, LinkSite>>;
export type LinkSiteName = keyof typeof linkSites;

/** The scheme of the streaming site's own URIs. */
export const streamingScheme = 'spotify';

/** Hosts, with all below them, whose addresses only forward to another. */
export const forwardingHosts: ReadonlySet<string> = new Set([
  'youtu.be',
  'on.soundcloud.com',
  'soundcloud.app.goo.gl',
  'snd.sc',
  'spotify.link',
  'spotify.app.link',
  'spoti.fi',
  'tospotify.com',
  'bit.ly',
  'ffm.to',
  'fanlink.to',
  'fanlink.tv',
  'goo.gl',
  'hyperurl.co',
  'lnk.to',
  'ow.ly',
  'smarturl.it',
  't.co',
  'tinyurl.com',
]);

/** Registrable domains where each page is somebody else's, so that the host alone names nobody. */
export const sharedDomains: ReadonlySet<string> = new Set([
  '1001tracklists.com',
  'allmusic.com',
  'amazon.com',
  'apple.com',
  'archive.org',
  'ascap.com',
  'audiomack.com',
  'bandsintown.com',
  'beatport.com',
  'bmi.com',
  'bookogs.com',
  'cdbaby.com',
  'dailymotion.com',
  'deezer.com',
  'equipboard.com',
  'facebook.com',
  'filmo.gs',
  'flickr.com',
  'genius.com',
  'google.com',
  'hearthis.at',
  'imdb.com',
  'linkedin.com',
  'linktr.ee',
  'metal-archives.com',
  'mixcloud.com',
  'myspace.com',
  'nytimes.com',
  'patreon.com',
  'pinterest.com',
  'pitchfork.com',
  'posterogs.com',
  'qobuz.com',
  'rateyourmusic.com',
  'reddit.com',
  'reverbnation.com',
  'secondhandsongs.com',
  'setlist.fm',
  'songkick.com',
  'thedjlist.com',
  'threads.com',
  'threads.net',
  'tidal.com',
  'tiktok.com',
  'traxsource.com',
  'twitch.tv',
  'twitter.com',
  'ustream.tv',
  'viberate.com',
  'vk.com',
  'whosampled.com',
  'wikidata.org',
  'wikipedia.org',
  'x.com',
]);

function hostFrom(configured: string | undefined, fallback: string): string {
  return (configured || fallback).replace(/\/+$/, '');
}
