import type { components } from './api.ts';
import { LinernotesError } from './linernotes-error.ts';

type Schemas = components['schemas'];

/** The row type of each paged route. */
export interface Rows {
  '/api/v2/surface/{name}': Schemas['GetSurfaceRowsResponse']['rows'][number];
  '/api/v2/artists': Schemas['BrowseArtistsResponse']['items'][number];
  '/api/v2/search': Schemas['SearchResponse']['results'][number];
}
export type PagedPath = keyof Rows;

type Query = Readonly<Record<string, unknown>>;

interface RowPage {
  readonly rows: readonly unknown[];
  /** The query of the next page; null after the last. */
  readonly next: Query | null;
  readonly isDegraded?: boolean;
}

interface Paging<Body> {
  /** Parameters of the first page, unless the caller gives them. */
  readonly first?: Query;
  readonly read: (body: Body, query: Query) => RowPage;
}

const surface: Paging<Schemas['GetSurfaceRowsResponse']> = {
  read: ({ rows, next_after, state }, query) => ({
    rows,
    next: next_after === null ? null : { ...query, after: next_after },
    isDegraded: state === 'degraded',
  }),
};

const artists: Paging<Schemas['BrowseArtistsResponse']> = {
  read: ({ items, _links, state }) => ({
    rows: items,
    next: _links === undefined ? null : queryOf(_links.next),
    isDegraded: state === 'degraded',
  }),
};

const queryOf = (path: string): Query => Object.fromEntries(new URL(path, 'http://localhost').searchParams);

const MOST_OFFSET = 10_000;

const search: Paging<Schemas['SearchResponse']> = {
  first: { limit: 100, offset: 0 },
  read({ results, pagination: { total_results, total_results_mode } }, query) {
    const offset = Number(query.offset) + Number(query.limit);
    const isLast =
      results.length === 0 ||
      offset > MOST_OFFSET ||
      (total_results_mode === 'exact' && offset >= total_results);
    return { rows: results, next: isLast ? null : { ...query, offset } };
  },
};

const pagings: Readonly<Record<PagedPath, Paging<never>>> = {
  '/api/v2/surface/{name}': surface,
  '/api/v2/artists': artists,
  '/api/v2/search': search,
};

/** Paths of the paged routes. */
export const PAGED_PATHS = Object.keys(pagings) as PagedPath[];

/** The part of a request that paging changes. */
export interface PagedInit {
  readonly params?: { readonly query?: Query };
}

/**
 * All rows, in order. Each page is requested when the rows before it are used up.
 *
 * @param get requests one page
 * @throws LinernotesError `degraded` if the service could not read a page: the rows would seem to end there
 */
export async function* rowsOf(
  get: (init: PagedInit) => Promise<unknown>,
  path: PagedPath,
  init: PagedInit = {},
): AsyncGenerator<unknown, void> {
  const { first, read } = pagings[path];
  const given = Object.entries(init.params?.query ?? {}).filter(([, value]) => value != null);
  let query: Query | null = { ...first, ...Object.fromEntries(given) };
  while (query !== null) {
    const body = await get({ ...init, params: { ...init.params, query } });
    const page: RowPage = read(body as never, query);
    if (page.isDegraded)
      throw new LinernotesError({
        code: 'degraded',
        message: `The service could not read a page of ${path}. Send the same request again later.`,
        status: 200,
      });
    yield* page.rows;
    query = page.next;
  }
}
