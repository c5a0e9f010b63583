import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { type Static, Type } from '@sinclair/typebox';
import type { Pool } from 'pg';
import { orNull } from '../../../projections/engine/values.ts';
import { BrowseItem } from '../../../projections/models/browse/item.ts';
import { MAX_FILTER_CHARACTERS } from '../../../projections/models/browse/list-keys.ts';
import { type BrowseQuery, hasArtists, readPage } from '../../../projections/models/browse/read.ts';
import { ErrorBody, invalidParameter } from '../../http/errors.ts';
import { MODERATE } from '../../http/fair-queue.ts';
import { readNulls } from '../../http/null-parameters.ts';
import { cacheControlOf, FailedRead, type SoftRead, softReader } from '../../http/soft-read.ts';
import type { QueryParts } from '../parts.ts';

/** Browsing ends here; search reaches further. */
const MOST_BROWSED = 500;
const DEFAULT_LIMIT = 50;
const MOST_A_PAGE = 100;

const oneOf = <T extends string>(values: readonly T[], options: object) =>
  Type.Unsafe<T>({ type: 'string', enum: values, ...options });

const filter = (what: string) =>
  Type.Optional(
    Type.String({
      maxLength: MAX_FILTER_CHARACTERS,
      description: `Primary ${what}, exact and case-sensitive. A value that no artist has returns an empty list with a note.`,
    }),
  );

const Tier = oneOf(['breakout', 'rising', 'steady'], {
  description: 'Only artists whose current emergence tier is this one.',
});
const Sort = oneOf(['discovery', 'reach'], {
  default: 'discovery',
  description:
    'discovery: by emergence tier (breakout, rising, climbing, steady, untracked), then by momentum, then by owners. reach: by owners.',
});

const ArtistsQuery = Type.Object(
  {
    genre: filter('genre'),
    style: filter('style'),
    tier: Type.Optional(Tier),
    sort: Sort,
    limit: Type.Integer({ minimum: 1, maximum: MOST_A_PAGE, default: DEFAULT_LIMIT }),
    offset: Type.Optional(
      Type.Unsafe<number | null>({
        type: 'integer',
        nullable: true,
        minimum: 0,
        description: `Items to skip. offset plus limit is at most ${MOST_BROWSED}.`,
      }),
    ),
  },
  { additionalProperties: false },
);
type ArtistsQuery = Static<typeof ArtistsQuery>;

export const ArtistsBody = Type.Object({
  object: Type.Literal('artist.browse'),
  state: Type.Union([Type.Literal('present'), Type.Literal('degraded')], {
    description: 'degraded: the list could not be read within 4 seconds, and items is empty.',
  }),
  returned: Type.Integer({ description: 'Number of items in this response.' }),
  filters_applied: Type.Object({
    genre: orNull(Type.String()),
    style: orNull(Type.String()),
    tier: orNull(Type.String()),
    sort: Type.String(),
  }),
  items: Type.Array(BrowseItem, { maxItems: MOST_A_PAGE }),
  note: Type.Optional(Type.String()),
  _links: Type.Optional(Type.Object({ next: Type.String({ description: 'Path of the next page.' }) })),
});
export type ArtistsBody = Static<typeof ArtistsBody>;

export const artistsRoutes: FastifyPluginCallbackTypebox<{ parts: QueryParts }> = (app, { parts }, done) => {
  const { leftMs } = app.inFlight;
  const browse = artistBrowser(parts.readPool, softReader({ log: parts.log, what: 'browse', leftMs }));
  app.get(
    '/api/v2/artists',
    {
      config: { cost: MODERATE, errors: ['invalid_query'] },
      schema: {
        tags: ['artist'],
        operationId: 'browseArtists',
        summary: 'Artists of a genre, a style or a tier of emergence',
        description:
          'Lists the artists that match all given filters. Without a match, items is empty and note says why. Paging ends at 500 artists: offset plus limit is at most 500. While the list cannot be read, state is degraded and items is empty.',
        querystring: ArtistsQuery,
        response: { 200: ArtistsBody, '4xx': ErrorBody, '5xx': ErrorBody },
      },
      preValidation: (request, _reply, next) => {
        readNulls(request.query, ['offset']);
        next();
      },
    },
    async (request, reply) => {
      const body = await browse(request.query);
      reply.header('cache-control', cacheControlOf(body.state));
      return body;
    },
  );
  done();
};

const PATH = '/api/v2/artists';
const UNREADABLE = 'The list could not be read. Repeat the request later.';

type BrowseArtists = (query: ArtistsQuery) => Promise<ArtistsBody>;

/**
 * Lists artists a page at a time. A list that cannot be read is empty and `degraded`.
 *
 * @throws ApiError `invalid_query` if the page lies beyond `MOST_BROWSED`
 */
function artistBrowser(pool: Pool, read: SoftRead): BrowseArtists {
  return async ({ sort, limit, genre = null, style = null, tier = null, offset }) => {
    const filters = { genre, style, tier };
    const query: BrowseQuery = { ...filters, sort, limit, offset: offset ?? 0 };
    if (query.offset + limit > MOST_BROWSED)
      throw invalidParameter('offset', `plus limit must be at most ${MOST_BROWSED}`);
    const found = await read(() => readBeyond(pool, query));
    const isDegraded = found instanceof FailedRead;
    const items = isDegraded ? [] : found.items.slice(0, limit);
    const note = isDegraded ? UNREADABLE : found.note;
    const next = !isDegraded && found.items.length > limit ? nextPage(query) : null;
    return {
      object: 'artist.browse',
      state: isDegraded ? 'degraded' : 'present',
      returned: items.length,
      filters_applied: { ...filters, sort },
      items,
      ...(note === null ? {} : { note }),
      ...(next === null ? {} : { _links: { next } }),
    };
  };
}

/** A page plus one artist, which shows whether another page follows; for an empty page, the reason. */
async function readBeyond(
  pool: Pool,
  query: BrowseQuery,
): Promise<{ readonly items: readonly BrowseItem[]; readonly note: string | null }> {
  const items = await readPage(pool, { ...query, limit: query.limit + 1 });
  return { items, note: items.length === 0 ? await reasonOfEmpty(pool, query) : null };
}

async function reasonOfEmpty(pool: Pool, query: BrowseQuery): Promise<string> {
  const { genre, style, tier } = query;
  const [hasGenre, hasStyle] = await Promise.all([
    genre === null || hasArtists(pool, { genre, style: null }),
    style === null || hasArtists(pool, { genre: null, style }),
  ]);
  const unknown = [hasGenre ? [] : `genre ${quoted(genre)}`, hasStyle ? [] : `style ${quoted(style)}`].flat();
  if (unknown.length > 0)
    return `No artist has the primary ${unknown.join(' or the primary ')}. Names are exact and case-sensitive.`;
  if (await hasFirst(pool, query)) return 'The list ends before offset.';
  if (genre === null && style === null)
    return tier === null ? 'No artists are listed yet.' : `No artist is currently in the tier ${tier}.`;
  return 'No artist matches all filters together.';
}

/** Whether the list has any artist before the page. */
const hasFirst = async (pool: Pool, query: BrowseQuery): Promise<boolean> =>
  query.offset > 0 && (await readPage(pool, { ...query, offset: 0, limit: 1 })).length > 0;

const quoted = (name: string | null): string => JSON.stringify(name ?? '');

/** Path of the next page; null if browsing ends. */
function nextPage({ genre, style, tier, sort, limit, offset }: BrowseQuery): string | null {
  const next = offset + limit;
  if (next >= MOST_BROWSED) return null;
  const query = new URLSearchParams({
    ...(genre === null ? {} : { genre }),
    ...(style === null ? {} : { style }),
    ...(tier === null ? {} : { tier }),
    sort,
    limit: String(Math.min(limit, MOST_BROWSED - next)),
    offset: String(next),
  });
  return `${PATH}?${query}`;
}
