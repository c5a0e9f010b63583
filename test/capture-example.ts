interface Asked {
  /** Where a service with data listens. */
  readonly url: string;
  readonly key: string;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

const LONGEST_TEXT = 240;
/** Maps by name rather than objects, and so long that a few entries say as much. */
const LONG_MAPS: ReadonlySet<string> = new Set(['entries']);
const KEPT_ENTRIES = 2;

/**
 * What a service answers, as an example: lists of one entry, long texts cut, no host but examples, no token.
 *
 * @throws Error where it does not answer with 200
 */
export async function captureExample({ url, key, method, path, body }: Asked): Promise<unknown> {
  const answer = await fetch(url + path, {
    method: method.toUpperCase(),
    headers: { 'x-api-key': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${text}`);
  const neutral = text
    .replaceAll(url, 'https://api.example')
    .replaceAll(/https?:\/\/(?!api\.example)[^/"\s)]+/g, 'https://link.example');
  return shortened(JSON.parse(neutral), '');
}

function shortened(value: unknown, name: string): unknown {
  if (name === 'beacon_token') return '<BEACON_TOKEN>';
  if (typeof value === 'string')
    return value.length > LONGEST_TEXT ? `${value.slice(0, LONGEST_TEXT)}…` : value;
  if (Array.isArray(value)) return value.slice(0, 1).map((item) => shortened(item, ''));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(
    (LONG_MAPS.has(name) ? entries.slice(0, KEPT_ENTRIES) : entries).map(([key, inner]) => [
      key,
      shortened(inner, key),
    ]),
  );
}
