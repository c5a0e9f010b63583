import { storefrontMedia } from '../hosts.ts';

const WEB_SCHEME = /^https?:\/\//i;
const AUDIO_FILE = /\.(?:aac|aiff?|alac|ape|flac|m3u8?|m4[ab]|mka|mp[234]|og[ag]|opus|pls|wav|web[am]|wma)$/i;

/** Null where the text is no http or https address. */
export const webUrl = (text: string): URL | null => (WEB_SCHEME.test(text) ? URL.parse(text) : null);

/**
 * The address of a page, as given; null where it is none, or leads to audio itself. The page of a track that is
 * called Stream loses its link by this too: better no link than one that plays.
 */
export function pageUrl(text: string | null): string | null {
  const url = text === null ? null : webUrl(text);
  return url === null || isAudio(url) ? null : text;
}

function isAudio(url: URL): boolean {
  const path = decodedPath(url);
  const hasStreamSegment = path.split('/').some((segment) => segment.toLowerCase() === 'stream');
  return hasStreamSegment || AUDIO_FILE.test(path) || storefrontMedia.test(url.hostname);
}

/** Servers read an encoded path as the plain one. */
function decodedPath({ pathname }: URL): string {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return pathname;
  }
}
