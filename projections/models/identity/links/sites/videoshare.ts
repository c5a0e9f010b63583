import { linkSites } from '../../../shared/hosts.ts';
import { type PageLink, pageLink } from '../parsed-link.ts';
import type { Site } from './site.ts';

const CHANNEL_ID = /^UC[\w-]{22}$/;
/** Letters of any script; a dot at the end belongs to the sentence. */
const NAME = /^[\p{L}\p{N}\p{M}._·-]{0,99}[\p{L}\p{N}\p{M}_·-]$/u;
/** Bounds the cost of normalisation: a valid handle has at most three characters a letter. */
const MAX_WRITTEN = 300;
const OWN: ReadonlySet<string> = new Set([
  'about',
  'account',
  'ads',
  'attribution_link',
  'browse',
  'c',
  'channel',
  'channels',
  'charts',
  'clip',
  'creators',
  'embed',
  'explore',
  'feed',
  'feeds',
  'gaming',
  'hashtag',
  'howyoutubeworks',
  'iframe_api',
  'index',
  'intl',
  'jobs',
  'kids',
  'learning',
  'library',
  'live',
  'login',
  'logout',
  'movies',
  'music',
  'new',
  'news',
  'oembed',
  'playlist',
  'playlists',
  'podcasts',
  'post',
  'premium',
  'press',
  'profile',
  'redirect',
  'reporthistory',
  'results',
  'search',
  'shorts',
  'show',
  'shows',
  'signin',
  'source',
  'sports',
  't',
  'trending',
  'tv',
  'upload',
  'user',
  'v',
  'verify_phone',
  'watch',
  'watch_videos',
  'yt',
]);
const [domain] = linkSites.videoshare.domains;

/** `/channel/{id}`, `/@handle`, `/c/name`, `/user/name` and the bare `/name`, with pages below them. */
export const videoshare: Site = {
  source: 'videoshare',
  hosts: linkSites.videoshare,
  read({ segments: [first = '', second = ''] }) {
    switch (first) {
      case 'channel':
      case 'browse':
        return CHANNEL_ID.test(second) ? channel(`channel/${second}`, `channel/${second}`) : null;
      case 'c':
      case 'user':
        return named(`${first}/`, second);
      default:
        if (first.startsWith('@')) return named('@', first.slice(1));
        return OWN.has(first.toLowerCase()) ? null : named('', first);
    }
  },
};

function named(space: string, written: string): PageLink | null {
  if (written.length > MAX_WRITTEN) return null;
  const name = written.normalize('NFC').toLowerCase().normalize('NFC');
  return NAME.test(name) ? channel(space + name, space + encodeURIComponent(name)) : null;
}

const channel = (id: string, path: string): PageLink =>
  pageLink('videoshare', `${domain}/${id}`, `${linkSites.videoshare.origin}/${path}`);
