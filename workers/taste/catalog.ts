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
/** A release may be by many, a page of releases by so many in all. */
const MOST_ITEMS = 5_000;

export interface CatalogSettings {
  /** Up to where `/users` follows. */
  readonly url: URL;
  /** Of a user of the service, who then may ask more often; null for none. */
  readonly token: string | null;
  /** The service answers nobody who does not say who asks. */
  readonly userAgent: string;
  readonly intervalMs: number;
}

const Page = Type.Object({
  pagination: Type.Object({ pages: Type.Integer({ minimum: 0 }) }),
  releases: Type.Array(Type.Unknown()),
});

const Release = Type.Object({ basic_information: Type.Object({ artists: Type.Array(Type.Unknown()) }) });

const Artist = Type.Object({ id: Type.Integer(), name: Type.String() });

/** What goes wrong is told in words. */
const Failed = Type.Object({ message: Type.String() });
/** Of a collection that its owner does not show. */
const CLOSED = /allowed|authenticat|owner|permission|private/i;
/** Of an address that leads nowhere. */
const NO_ADDRESS = /requested resource/i;

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
      // In a header, because addresses are written into logs on the way.
      const authorization = token === null ? {} : { authorization: `Discogs token=${token}` };
      return { url, headers: { 'user-agent': userAgent, ...authorization } };
    },
    read: (answer, page) => readCollection(answer, page, token !== null),
  };
}

function readCollection({ status, body }: Answer, page: number, hasToken: boolean): Reading {
  const said = readStatus(status) ?? readError({ status, body }, page, hasToken);
  if (said !== null) return said;
  if (status !== 200 || !Value.Check(Page, body)) return later('bad_answer');
  const { pagination, releases } = body;
  const artists = releases
    .flatMap((release) => (Value.Check(Release, release) ? release.basic_information.artists : []))
    .slice(0, MOST_ITEMS);
  const items = artists.flatMap((artist) =>
    Value.Check(Artist, artist) ? (tasteItem({ name: artist.name, catalogArtistId: artist.id }) ?? []) : [],
  );
  const isLast = releases.length === 0 || page >= pagination.pages;
  return { kind: 'page', items, next: isLast ? null : page + 1 };
}

/** What an error says in the service's own words. Others may answer in its place, who know nothing of its users. */
function readError(
  { status, body }: Omit<Answer, 'headers'>,
  page: number,
  hasToken: boolean,
): Reading | null {
  const words = Value.Check(Failed, body) ? body.message : '';
  if (status === 404) {
    if (words === '' || NO_ADDRESS.test(words)) return later('bad_answer');
    // A page beyond the last is not found either, where releases went while they were read.
    if (page > 1) return { kind: 'page', items: [], next: null };
    return speaksOfUser(words) ? never('user_not_found') : later('bad_answer');
  }
  // With a token that holds, whoever asks is known and only the collection can be closed.
  if (status === 401 && hasToken) return later('refused');
  if (status === 401 || status === 403) return CLOSED.test(words) ? never('private') : later('refused');
  return null;
}
