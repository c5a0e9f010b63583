/** Servers of storefronts, audio-sharing and streaming sites that serve audio, not pages. */
export const mediaHosts: readonly RegExp[] = [
  /^[a-z]+\d+\.bcbits\.com\.?$/,
  /^popplers\d*\.bandcamp\.com\.?$/,
  /(?:^|\.)sndcdn\.com\.?$/,
  /(?:^|\.)scdn\.co\.?$/,
];

/** A site whose links are recognised by URL. */
export interface LinkSite {
  /** Registrable domains, new and old. */
  readonly domains: readonly string[];
  /** Subdomains of pages that people link to; empty for the domain itself. */
  readonly subdomains: RegExp;
  /** Origin of canonical URLs. */
  readonly origin: string;
}

/** The sites whose links are recognised. `filmshare` is a second video site. */
export const linkSites = {
  catalog: { domains: ['discogs.com'], subdomains: /^(?:www|m)?$/, origin: 'https://www.discogs.com' },
  mb: { domains: ['musicbrainz.org'], subdomains: /^(?:www|beta)?$/, origin: 'https://musicbrainz.org' },
  // The canonical URL of an artist is the artist's subdomain.
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

/** Hosts, including subdomains, whose URLs only redirect. */
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

/** Registrable domains with pages of many artists, so the host alone names none. */
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
