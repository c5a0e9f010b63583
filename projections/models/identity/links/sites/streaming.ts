import { linkSites, streamingScheme } from '../../../shared/hosts.ts';
import { type PageLink, pageLink } from '../parsed-link.ts';
import type { Site } from './site.ts';

const ID = /^[\dA-Za-z]{22}$/;
/** Segments before the type: the language, the embedding frame. */
const BEFORE_TYPE = /^(?:intl-[a-z-]{2,10}|embed)$/i;
const SCHEME = `${streamingScheme}:`;

/** `/artist/{id}`, `/intl-de/artist/{id}`, `/embed/artist/{id}`, `?uri=` of an old frame. */
export const streaming: Site = {
  source: 'streaming',
  hosts: linkSites.streaming,
  read({ segments, subdomain, query }) {
    if (subdomain === 'embed' && segments.length === 0)
      return readStreamingUri(new URLSearchParams(query).get('uri') ?? '');
    const start = segments.findIndex((segment) => !BEFORE_TYPE.test(segment));
    return artist(segments[start], segments[start + 1]);
  },
};

export const isStreamingUri = (text: string): boolean =>
  text.slice(0, SCHEME.length).toLowerCase() === SCHEME;

/** The artist of `scheme:artist:{id}`, also written with slashes; null for other URIs. */
export function readStreamingUri(uri: string): PageLink | null {
  if (!isStreamingUri(uri)) return null;
  const [type, id] = uri
    .slice(SCHEME.length)
    .replace(/^\/\//, '')
    .split(/[:/?#]/, 2);
  return artist(type?.toLowerCase(), id);
}

function artist(type: string | undefined, id: string | undefined): PageLink | null {
  if (type !== 'artist' || id === undefined || !ID.test(id)) return null;
  return pageLink('streaming', id, `${linkSites.streaming.origin}/artist/${id}`);
}
