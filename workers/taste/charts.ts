import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { tasteItem } from '../../projections/models/taste/item.ts';
import {
  type PageResult,
  permanent,
  readStatus,
  type ServiceResponse,
  transient,
  type Upstream,
} from './upstream.ts';

/** The service allows 1,000, but such a page may exceed the response size limit. */
const PAGE_SIZE = 500;

export interface ChartsSettings {
  readonly url: URL;
  readonly key: string;
  readonly userAgent: string;
  readonly intervalMs: number;
}

/** Pause after the service reports a rate limit or an outage. */
const PAUSE_MS = 60_000;

/** Error numbers, which also come with status 200. Unlisted ones are transient. */
const ERRORS: ReadonlyMap<number, PageResult> = new Map([
  [4, transient('refused')],
  [6, permanent('user_not_found')],
  [9, transient('refused')],
  [10, transient('refused')],
  [11, transient('unavailable', PAUSE_MS)],
  [13, transient('refused')],
  [14, transient('refused')],
  [16, transient('unavailable', PAUSE_MS)],
  [17, permanent('private')],
  [26, transient('refused')],
  [29, transient('unavailable', PAUSE_MS)],
]);

const ErrorBody = Type.Object({ error: Type.Union([Type.Number(), Type.String({ pattern: '^\\d{1,9}$' })]) });

/** Numbers may be strings, and a list of one entry may be the entry itself. */
const Page = Type.Object({
  topartists: Type.Object({
    artist: Type.Union([Type.Array(Type.Unknown()), Type.Object({ name: Type.String() })]),
    '@attr': Type.Object({ totalPages: Type.Union([Type.Number(), Type.String({ pattern: '^\\d{1,9}$' })]) }),
  }),
});

const Entry = Type.Object({ name: Type.String(), mbid: Type.Optional(Type.Unknown()) });

/** A listening service with a method parameter, as in `?method=user.gettopartists`. */
export function charts({ url: base, key, userAgent, intervalMs }: ChartsSettings): Upstream {
  return {
    service: 'scrobbler',
    intervalMs,
    first: 1,
    request(username, page) {
      const url = new URL(base);
      const query = { method: 'user.gettopartists', user: username, api_key: key, format: 'json' };
      for (const [name, value] of Object.entries({ ...query, limit: PAGE_SIZE, page }))
        url.searchParams.set(name, String(value));
      return { url, headers: { 'user-agent': userAgent } };
    },
    read: readCharts,
  };
}

function readCharts({ status, body }: ServiceResponse, page: number): PageResult {
  if (Value.Check(ErrorBody, body)) return ERRORS.get(Number(body.error)) ?? transient('unavailable');
  const failure = readStatus(status);
  if (failure !== null) return failure;
  if (status === 401 || status === 403) return transient('refused');
  if (status !== 200 || !Value.Check(Page, body)) return transient('bad_answer');
  const { artist, '@attr': attributes } = body.topartists;
  const entries = [artist].flat().slice(0, 2 * PAGE_SIZE);
  const items = entries.flatMap((entry) => (Value.Check(Entry, entry) ? (tasteItem(entry) ?? []) : []));
  const isLast = entries.length === 0 || page >= Number(attributes.totalPages);
  return { kind: 'page', items, next: isLast ? null : page + 1 };
}
