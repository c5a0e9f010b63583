import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { tasteItem } from '../../projections/models/taste/item.ts';
import {
  mentionsUser,
  type PageResult,
  permanent,
  readStatus,
  type ServiceResponse,
  transient,
  type Upstream,
} from './upstream.ts';

/** Maximum page size of the service. */
const PAGE_SIZE = 100;

export interface StatisticsSettings {
  /** Base URL; `/1/stats` is appended. */
  readonly url: URL;
  /** A user's API key, which raises the rate limit; null for none. */
  readonly key: string | null;
  readonly userAgent: string;
  readonly intervalMs: number;
}

const Page = Type.Object({
  payload: Type.Object({ artists: Type.Array(Type.Unknown()), total_artist_count: Type.Integer() }),
});

const Entry = Type.Object({ artist_name: Type.String(), artist_mbid: Type.Optional(Type.Unknown()) });

const ErrorBody = Type.Object({ error: Type.String() });

/** A listening service with precomputed statistics, as in `/1/stats/user/{name}/artists`. */
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

function readStatistics({ status, body }: ServiceResponse, offset: number): PageResult {
  const failure = readStatus(status);
  if (failure !== null) return failure;
  if (status === 204) return transient('not_computed');
  if (status === 404 && Value.Check(ErrorBody, body) && mentionsUser(body.error))
    return permanent('user_not_found');
  if (status === 401 || status === 403) return transient('refused');
  if (status !== 200 || !Value.Check(Page, body)) return transient('bad_answer');
  const { artists, total_artist_count: total } = body.payload;
  const entries = artists.slice(0, 2 * PAGE_SIZE);
  const items = entries.flatMap((entry) =>
    Value.Check(Entry, entry) ? (tasteItem({ name: entry.artist_name, mbid: entry.artist_mbid }) ?? []) : [],
  );
  const next = offset + entries.length;
  return { kind: 'page', items, next: entries.length === 0 || next >= total ? null : next };
}
