import { domainToUnicode } from 'node:url';
import { parse } from 'tldts';
import { decoded } from '../../shared/web-url.ts';
import { endsText, handleNames } from './spelled-names.ts';
import type { WebPage } from './web-page.ts';

/** Segments of paths and hosts that are not a handle. */
const GENERIC: ReadonlySet<string> = new Set([
  'a',
  'about',
  'albums',
  'artist',
  'artiste',
  'artistes',
  'artists',
  'artista',
  'band',
  'bands',
  'bio',
  'biographie',
  'biography',
  'channel',
  'contact',
  'credit',
  'credits',
  'discography',
  'dj',
  'djs',
  'events',
  'feed',
  'gigs',
  'home',
  'in',
  'index',
  'info',
  'live',
  'm',
  'media',
  'mobile',
  'music',
  'news',
  'official',
  'overview',
  'page',
  'pages',
  'people',
  'photos',
  'posts',
  'press',
  'profile',
  'profiles',
  'releases',
  'reviews',
  'search',
  'shop',
  'shows',
  'status',
  'store',
  'tour',
  'tracks',
  'u',
  'url',
  'user',
  'users',
  'videos',
  'watch',
  'wiki',
  'www',
]);
/** Segments after which a name is not an artist's. */
const NO_ARTIST: ReadonlySet<string> = new Set([
  'album',
  'event',
  'label',
  'p',
  'playlist',
  'playlists',
  'product',
  'release',
  'song',
  'track',
  'venue',
  'video',
]);
const LOCALE = /^[a-z]{2}(?:[-_][a-z]{2})?$/i;
const FILE_ENDING = /\.(?:aspx?|html?|jsp|php)$/i;
const MAX_LENGTH = 100;

/**
 * Likely artist names in the path of a URL on an unknown site: the first segment that begins with `@`, else the last that
 * looks like a handle.
 */
export function namesInPath(page: WebPage): string[] {
  const { segments } = page;
  if (segments.some((segment) => NO_ARTIST.has(segment.toLowerCase()))) return [];
  const handles = segments.map((segment, index) => {
    const isLocale = index === 0 && segments.length > 1 && LOCALE.test(segment);
    return isLocale ? null : handleOf(segment);
  });
  const marked = segments.findIndex((segment, index) => segment.startsWith('@') && handles[index] !== null);
  const at = marked === -1 ? handles.findLastIndex((handle) => handle !== null) : marked;
  const handle = handles[at];
  if (handle === undefined || handle === null) return [];
  // A trailing mark more likely ends a sentence than a handle, so the handle without it comes first.
  const asWritten = endsText(page, at) ? handleOf(decoded(page.lastAsWritten ?? '')) : null;
  return [...new Set([handle, asWritten ?? handle].flatMap(handleNames))];
}

function handleOf(segment: string): string | null {
  const handle = segment
    .replace(FILE_ENDING, '')
    .replace(/^[@~]/, '')
    .replace(/^\d+-(?=.)/, '')
    .trim();
  const isHandle =
    /\p{L}/u.test(handle) &&
    handle.length <= MAX_LENGTH &&
    !/[:=/]/.test(handle) &&
    !GENERIC.has(handle.toLowerCase());
  return isHandle ? handle : null;
}

/** Likely artist names in the host; empty if it has more than one label before the domain. */
export function namesInHost({ host, subdomain }: WebPage): string[] {
  const own = subdomain.replace(/^www\.|^www$/, '');
  if (own.includes('.')) return [];
  const isGeneric = own === '' || GENERIC.has(own) || LOCALE.test(own);
  const label = isGeneric ? parse(host, { extractHostname: false }).domainWithoutSuffix : own;
  return label === null ? [] : handleNames(domainToUnicode(label));
}
