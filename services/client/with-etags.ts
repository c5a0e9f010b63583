import type { Fetch } from './with-retries.ts';

interface Held {
  readonly etag: string;
  readonly headers: Headers;
  readonly body: ArrayBuffer;
}

/** Holds the newest answers with an ETag, and asks for them again only if they changed. */
export function withEtags(fetch: Fetch, entries: number): Fetch {
  /** By URL; whose use is longest ago comes first. */
  const held = new Map<string, Held>();

  const hold = (url: string, answer: Held): void => {
    held.delete(url);
    held.set(url, answer);
    const [oldest] = held.keys();
    if (held.size > entries && oldest !== undefined) held.delete(oldest);
  };

  return async (request) => {
    if (request.method !== 'GET' || request.headers.has('if-none-match')) return fetch(request);
    const { url } = request;
    const known = held.get(url);
    if (known !== undefined) request.headers.set('if-none-match', known.etag);
    const answer = await fetch(request);
    if (answer.status === 304 && known !== undefined) {
      hold(url, known);
      return revived(known, answer);
    }
    const etag = answer.headers.get('etag');
    if (answer.status === 200 && etag !== null)
      hold(url, { etag, headers: answer.headers, body: await answer.clone().arrayBuffer() });
    return answer;
  };
}

/** What is held, with what the service says now of limits and freshness. */
function revived({ headers: before, body }: Held, answer: Response): Response {
  const headers = new Headers(before);
  for (const [name, value] of answer.headers) headers.set(name, value);
  return new Response(body, { status: 200, headers });
}
