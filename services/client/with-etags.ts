import type { Fetch } from './with-retries.ts';

interface CachedResponse {
  readonly etag: string;
  readonly headers: Headers;
  readonly body: ArrayBuffer;
}

/** Caches the latest responses with an ETag, and revalidates them. */
export function withEtags(fetch: Fetch, entries: number): Fetch {
  /** By URL, least recently used first. */
  const cache = new Map<string, CachedResponse>();

  const store = (url: string, response: CachedResponse): void => {
    cache.delete(url);
    cache.set(url, response);
    const [oldest] = cache.keys();
    if (cache.size > entries && oldest !== undefined) cache.delete(oldest);
  };

  return async (request) => {
    if (request.method !== 'GET' || request.headers.has('if-none-match')) return fetch(request);
    const { url } = request;
    const cached = cache.get(url);
    if (cached !== undefined) request.headers.set('if-none-match', cached.etag);
    const response = await fetch(request);
    if (response.status === 304 && cached !== undefined) {
      store(url, cached);
      return refreshed(cached, response);
    }
    const etag = response.headers.get('etag');
    if (response.status === 200 && etag !== null)
      store(url, { etag, headers: response.headers, body: await response.clone().arrayBuffer() });
    return response;
  };
}

/** The cached response with the current headers for limits and freshness. */
function refreshed({ headers: before, body }: CachedResponse, response: Response): Response {
  const headers = new Headers(before);
  for (const [name, value] of response.headers) headers.set(name, value);
  return new Response(body, { status: 200, headers });
}
