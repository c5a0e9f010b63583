interface CapturedRequest {
  /** Base URL of a service with data. */
  readonly url: string;
  readonly key: string;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

const MAX_TEXT_LENGTH = 240;
/** Maps with so many entries that a few are enough. */
const LONG_MAPS: ReadonlySet<string> = new Set(['entries']);
const MAX_ENTRIES = 2;

/**
 * The response of a service as an example: one entry of each list, shortened texts, neutral hosts, no token.
 *
 * @throws Error if the status is not 200
 */
export async function captureExample({ url, key, method, path, body }: CapturedRequest): Promise<unknown> {
  const response = await fetch(url + path, {
    method: method.toUpperCase(),
    headers: { 'x-api-key': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${path} responded ${response.status}: ${text}`);
  const neutral = text
    .replaceAll(url, 'https://api.example')
    .replaceAll(/https?:\/\/(?!api\.example)[^/"\s)]+/g, 'https://link.example');
  return shortened(JSON.parse(neutral), '');
}

function shortened(value: unknown, name: string): unknown {
  if (name === 'beacon_token') return '<BEACON_TOKEN>';
  if (typeof value === 'string')
    return value.length > MAX_TEXT_LENGTH ? `${value.slice(0, MAX_TEXT_LENGTH)}…` : value;
  if (Array.isArray(value)) return value.slice(0, 1).map((item) => shortened(item, ''));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(
    (LONG_MAPS.has(name) ? entries.slice(0, MAX_ENTRIES) : entries).map(([key, inner]) => [
      key,
      shortened(inner, key),
    ]),
  );
}
