import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { tasteItem } from '../../projections/taste/item.ts';
import {
  type Answer,
  later,
  never,
  type Reading,
  readStatus,
  speaksOfUser,
  type Upstream,
} from './upstream.ts';

/** The most that the service gives at once. */
const PAGE_SIZE = 100;

export interface StatisticsSettings {
  /** Up to where `/1/stats` follows. */
  readonly url: URL;
  /** Of a user of the service, who then may ask more often; null for none. */
  readonly key: string | null;
  readonly userAgent: string;
  readonly intervalMs: number;
}

const Page = Type.Object({
  payload: Type.Object({ artists: Type.Array(Type.Unknown()), total_artist_count: Type.Integer() }),
});

const Entry = Type.Object({ artist_name: Type.String(), artist_mbid: Type.Optional(Type.Unknown()) });

/** What goes wrong is told in words. */
const Failed = Type.Object({ error: Type.String() });

/** A listening service that works out statistics, as in `/1/stats/user/{name}/artists`. */
export function statistics({ url: base, key, userAgent, intervalMs }: StatisticsSettings): Upstream {
  return {
    service: 'scrobbler',
    intervalMs,
    first: 0,
    request(username, offset) {
      const url = new URL(base);
      url.pathname = `${base.pathname.replace(/\/+$/, '')}/1/stats/user/${encodeURIComponent(username)}/artists`;
      for (const [name, value] of Object.entries({ offset, count: PAGE_SIZE, range: 'all_time' }))
        url.searchParams.set(name, String(value));
      const authorization = key === null ? {} : { authorization: `Token ${key}` };
      return { url, headers: { 'user-agent': userAgent, ...authorization } };
    },
    read: readStatistics,
  };
}

function readStatistics({ status, body }: Answer, offset: number): Reading {
  const said = readStatus(status);
  if (said !== null) return said;
  if (status === 204) return later('not_computed');
  if (status === 404 && Value.Check(Failed, body) && speaksOfUser(body.error)) return never('user_not_found');
  if (status === 401 || status === 403) return later('refused');
  if (status !== 200 || !Value.Check(Page, body)) return later('bad_answer');
  const { artists, total_artist_count: total } = body.payload;
  const entries = artists.slice(0, 2 * PAGE_SIZE);
  const items = entries.flatMap((entry) =>
    Value.Check(Entry, entry) ? (tasteItem({ name: entry.artist_name, mbid: entry.artist_mbid }) ?? []) : [],
  );
  const next = offset + entries.length;
  return { kind: 'page', items, next: entries.length === 0 || next >= total ? null : next };
}
