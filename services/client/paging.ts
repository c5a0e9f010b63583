import type { components } from './api.ts';
import { LinernotesError } from './linernotes-error.ts';

type Answers = components['schemas'];

/** Routes that answer page by page, and a row of each. */
export interface Rows {
  '/api/v2/surface/{name}': Answers['GetSurfaceRowsAnswer']['rows'][number];
  '/api/v2/artists': Answers['BrowseArtistsAnswer']['items'][number];
  '/api/v2/search': Answers['SearchAnswer']['results'][number];
}
export type PagedPath = keyof Rows;

type Query = Readonly<Record<string, unknown>>;

interface Page {
  readonly rows: readonly unknown[];
  /** The query of the next page; null where this is the last. */
  readonly next: Query | null;
  readonly isDegraded?: boolean;
}

interface Paging<Answer> {
  /** What the first page is asked for beyond the caller's query. */
  readonly first?: Query;
  readonly read: (answer: Answer, asked: Query) => Page;
}

const surface: Paging<Answers['GetSurfaceRowsAnswer']> = {
  read: ({ rows, next_after, state }, asked) => ({
    rows,
    next: next_after === null ? null : { ...asked, after: next_after },
    isDegraded: state === 'degraded',
  }),
};

const artists: Paging<Answers['BrowseArtistsAnswer']> = {
  read: ({ items, _links, state }) => ({
    rows: items,
    next: _links === undefined ? null : queryOf(_links.next),
    isDegraded: state === 'degraded',
  }),
};

const queryOf = (path: string): Query => Object.fromEntries(new URL(path, 'http://localhost').searchParams);

const MOST_OFFSET = 10_000;

const search: Paging<Answers['SearchAnswer']> = {
  first: { limit: 100, offset: 0 },
  read({ results, pagination: { total_results, total_results_mode } }, asked) {
    const offset = Number(asked.offset) + Number(asked.limit);
    const isLast =
      results.length === 0 ||
      offset > MOST_OFFSET ||
      (total_results_mode === 'exact' && offset >= total_results);
    return { rows: results, next: isLast ? null : { ...asked, offset } };
  },
};

const pagings: Readonly<Record<PagedPath, Paging<never>>> = {
  '/api/v2/surface/{name}': surface,
  '/api/v2/artists': artists,
  '/api/v2/search': search,
};

/** Paths that can be read row by row. */
export const PAGED_PATHS = Object.keys(pagings) as PagedPath[];

/** A request without what it asks of, as every route takes it. */
export interface PagedInit {
  readonly params?: { readonly query?: Query };
}

/**
 * All rows from the first page on, each page asked for when the rows before are used up.
 *
 * @param get one page
 * @throws LinernotesError `degraded` where a page could not be read, for the rows would seem to end there
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
    const answer = await get({ ...init, params: { ...init.params, query } });
    const page: Page = read(answer as never, query);
    if (page.isDegraded)
      throw new LinernotesError({
        code: 'degraded',
        message: `A page of ${path} could not be read; the same request may be answered in a while.`,
        status: 200,
      });
    yield* page.rows;
    query = page.next;
  }
}
