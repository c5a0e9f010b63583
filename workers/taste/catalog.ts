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
/** Artists per page. One release may list many. */
const MAX_ITEMS = 5_000;

export interface CatalogSettings {
  /** Base URL; `/users` is appended. */
  readonly url: URL;
  /** A user's API token, which raises the rate limit; null for none. */
  readonly token: string | null;
  /** The service rejects requests without one. */
  readonly userAgent: string;
  readonly intervalMs: number;
}

const Page = Type.Object({
  pagination: Type.Object({ pages: Type.Integer({ minimum: 0 }) }),
  releases: Type.Array(Type.Unknown()),
});

const Release = Type.Object({ basic_information: Type.Object({ artists: Type.Array(Type.Unknown()) }) });

const Artist = Type.Object({ id: Type.Integer(), name: Type.String() });

const ErrorBody = Type.Object({ message: Type.String() });
/** Error message of a private collection. */
const PRIVATE_MESSAGE = /allowed|authenticat|owner|permission|private/i;
/** Error message of an unknown URL. */
const NO_SUCH_URL = /requested resource/i;

/** A catalogue of releases whose users list what they own, as in `/users/{name}/collection/folders/0/releases`. */
export function catalog({ url: base, token, userAgent, intervalMs }: CatalogSettings): Upstream {
  return {
    service: 'catalog',
    intervalMs,
    first: 1,
    request(username, page) {
      const url = new URL(base);
      const user = `/users/${encodeURIComponent(username)}/collection/folders/0/releases`;
      url.pathname = base.pathname.replace(/\/+$/, '') + user;
      url.searchParams.set('page', String(page));
      url.searchParams.set('per_page', String(PAGE_SIZE));
      // In a header, because proxies log URLs.
      const authorization = token === null ? {} : { authorization: `Discogs token=${token}` };
      return { url, headers: { 'user-agent': userAgent, ...authorization } };
    },
    read: (response, page) => readCollection(response, page, token !== null),
  };
}

function readCollection({ status, body }: ServiceResponse, page: number, hasToken: boolean): PageResult {
  const failure = readStatus(status) ?? readError({ status, body }, page, hasToken);
  if (failure !== null) return failure;
  if (status !== 200 || !Value.Check(Page, body)) return transient('bad_answer');
  const { pagination, releases } = body;
  const artists = releases
    .flatMap((release) => (Value.Check(Release, release) ? release.basic_information.artists : []))
    .slice(0, MAX_ITEMS);
  const items = artists.flatMap((artist) =>
    Value.Check(Artist, artist) ? (tasteItem({ name: artist.name, catalogArtistId: artist.id }) ?? []) : [],
  );
  const isLast = releases.length === 0 || page >= pagination.pages;
  return { kind: 'page', items, next: isLast ? null : page + 1 };
}

/**
 * Interprets the service's own error messages. A proxy may respond instead, and its errors say nothing about users.
 */
function readError(
  { status, body }: Omit<ServiceResponse, 'headers'>,
  page: number,
  hasToken: boolean,
): PageResult | null {
  const message = Value.Check(ErrorBody, body) ? body.message : '';
  if (status === 404) {
    if (message === '' || NO_SUCH_URL.test(message)) return transient('bad_answer');
    // The last pages disappear when the user removes releases during the import.
    if (page > 1) return { kind: 'page', items: [], next: null };
    return mentionsUser(message) ? permanent('user_not_found') : transient('bad_answer');
  }
  // A valid token never gets a 401, so the token is invalid.
  if (status === 401 && hasToken) return transient('refused');
  if (status === 401 || status === 403)
    return PRIVATE_MESSAGE.test(message) ? permanent('private') : transient('refused');
  return null;
}
