import { mediaHosts } from './hosts.ts';

const WEB_SCHEME = /^https?:\/\//i;
const AUDIO_FILE =
  /\.(?:aac|aiff?|alac|ape|flac|m3u8?|m4[abs]|mka|mp[234]|mpd|og[ag]|opus|pls|ts|wav|web[am]|wma)$/i;
/** Path segments of playable media. */
const MEDIA_SEGMENTS: ReadonlySet<string> = new Set(['stream', 'download', 'mp3-preview']);

/** Null if the text is not an http or https URL, or contains a login. */
export function webUrl(text: string): URL | null {
  const url = WEB_SCHEME.test(text) ? URL.parse(text) : null;
  return url === null || url.username !== '' || url.password !== '' ? null : url;
}

/** A URL to link to, unchanged; null if it is not a web URL. */
export const linkUrl = (text: string | null): string | null =>
  text === null || webUrl(text) === null ? null : text;

/**
 * The URL of a page, unchanged; null if it is not a web URL or leads to audio. A page of a track called "Stream" loses its
 * link too: better no link than one that plays.
 */
export function pageUrl(text: string | null): string | null {
  const url = text === null ? null : webUrl(text);
  return url === null || isAudio(url) ? null : text;
}

/** The JSON with every URL of audio replaced by null. */
export function withoutAudio(json: unknown): unknown {
  if (typeof json === 'string') {
    const url = webUrl(json.trim());
    return url !== null && isAudio(url) ? null : json;
  }
  if (Array.isArray(json)) return json.map(withoutAudio);
  if (typeof json !== 'object' || json === null) return json;
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, withoutAudio(value)]));
}

function isAudio(url: URL): boolean {
  // Servers decode paths.
  const segments = decoded(url.pathname)
    .split('/')
    .map((segment) => segment.split(';', 1)[0]?.toLowerCase() ?? '');
  const last = segments.findLast((segment) => segment !== '') ?? '';
  return (
    AUDIO_FILE.test(last) ||
    segments.some((segment) => MEDIA_SEGMENTS.has(segment)) ||
    [...url.searchParams.values()].some((value) => AUDIO_FILE.test(value)) ||
    url.searchParams.has('enc') ||
    mediaHosts.some((host) => host.test(url.hostname))
  );
}

/** Percent-decoded; unchanged if malformed. */
export function decoded(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
