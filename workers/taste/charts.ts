import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { tasteItem } from '../../projections/taste/item.ts';
import { type Answer, later, never, type Reading, readStatus, type Upstream } from './upstream.ts';

/** The most that the service gives at once is a thousand, which may exceed the bytes that are read. */
const PAGE_SIZE = 500;

export interface ChartsSettings {
  readonly url: URL;
  readonly key: string;
  readonly userAgent: string;
  readonly intervalMs: number;
}

/** For how long the service is left alone when it says that it is asked too often, or is closed. */
const HOLD_MS = 60_000;

/** Errors come with status 200 too, and are told by their number. Those not listed pass by themselves. */
const ERRORS: ReadonlyMap<number, Reading> = new Map([
  [4, later('refused')],
  [6, never('user_not_found')],
  [9, later('refused')],
  [10, later('refused')],
  [11, later('unavailable', HOLD_MS)],
  [13, later('refused')],
  [14, later('refused')],
  [16, later('unavailable', HOLD_MS)],
  [17, never('private')],
  [26, later('refused')],
  [29, later('unavailable', HOLD_MS)],
]);

const Failed = Type.Object({ error: Type.Union([Type.Number(), Type.String({ pattern: '^\\d{1,9}$' })]) });

/** Numbers are strings, and a list of one is that one. */
const Page = Type.Object({
  topartists: Type.Object({
    artist: Type.Union([Type.Array(Type.Unknown()), Type.Object({ name: Type.String() })]),
    '@attr': Type.Object({ totalPages: Type.Union([Type.Number(), Type.String({ pattern: '^\\d{1,9}$' })]) }),
  }),
});

const Entry = Type.Object({ name: Type.String(), mbid: Type.Optional(Type.Unknown()) });

/** A listening service that is asked by method, as in `?method=user.gettopartists`. */
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

function readCharts({ status, body }: Answer, page: number): Reading {
  if (Value.Check(Failed, body)) return ERRORS.get(Number(body.error)) ?? later('unavailable');
  const said = readStatus(status);
  if (said !== null) return said;
  if (status === 401 || status === 403) return later('refused');
  if (status !== 200 || !Value.Check(Page, body)) return later('bad_answer');
  const { artist, '@attr': attributes } = body.topartists;
  const entries = [artist].flat().slice(0, 2 * PAGE_SIZE);
  const items = entries.flatMap((entry) => (Value.Check(Entry, entry) ? (tasteItem(entry) ?? []) : []));
  const isLast = entries.length === 0 || page >= Number(attributes.totalPages);
  return { kind: 'page', items, next: isLast ? null : page + 1 };
}
