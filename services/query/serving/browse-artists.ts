import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { BrowseItem } from '../../../projections/browse/item.ts';
import { type BrowseQuery, hasArtists, readPage } from '../../../projections/browse/read.ts';
import { invalidParameter } from '../errors.ts';
import { type ArtistsBody, type ArtistsQuery, MOST_BROWSED } from '../schemas/artists.ts';
import { softReader } from './soft-read.ts';

const PATH = '/api/v2/artists';
const UNREADABLE = 'The list could not be read; the same request may be answered in a while.';

type BrowseArtists = (asked: ArtistsQuery) => Promise<ArtistsBody>;

/**
 * Lists artists a page at a time. A list that cannot be read is empty and says so.
 *
 * @throws ApiError `invalid_query` where the page lies beyond what can be browsed
 */
export function artistBrowser(pool: Pool, log: Logger): BrowseArtists {
  const read = softReader(log, 'browse');
  return async ({ sort, limit, ...asked }) => {
    const filters = { genre: asked.genre ?? null, style: asked.style ?? null, tier: asked.tier ?? null };
    const query: BrowseQuery = { ...filters, sort, limit, offset: asked.offset ?? 0 };
    if (query.offset + limit > MOST_BROWSED)
      throw invalidParameter('offset', `plus limit must be at most ${MOST_BROWSED}`);
    const found = await read(() => readBeyond(pool, query));
    const items = found === 'degraded' ? [] : found.items.slice(0, limit);
    const note = found === 'degraded' ? UNREADABLE : found.note;
    const next = found !== 'degraded' && found.items.length > limit ? nextPage(query) : null;
    return {
      object: 'artist.browse',
      state: found === 'degraded' ? 'degraded' : 'present',
      returned: items.length,
      filters_applied: { ...filters, sort },
      items,
      ...(note === null ? {} : { note }),
      ...(next === null ? {} : { _links: { next } }),
    };
  };
}

/** A page and, to know whether the list goes on, one artist more; of an empty one, why it is empty. */
async function readBeyond(
  pool: Pool,
  query: BrowseQuery,
): Promise<{ readonly items: readonly BrowseItem[]; readonly note: string | null }> {
  const items = await readPage(pool, { ...query, limit: query.limit + 1 });
  return { items, note: items.length === 0 ? await whyEmpty(pool, query) : null };
}

async function whyEmpty(pool: Pool, query: BrowseQuery): Promise<string> {
  const { genre, style, tier } = query;
  const [hasGenre, hasStyle] = await Promise.all([
    genre === null || hasArtists(pool, { genre, style: null }),
    style === null || hasArtists(pool, { genre: null, style }),
  ]);
  const unknown = [hasGenre ? [] : `genre ${quoted(genre)}`, hasStyle ? [] : `style ${quoted(style)}`].flat();
  if (unknown.length > 0)
    return `No artist has the ${unknown.join(' or the ')} as a primary one; names are exact and case sensitive.`;
  if (await hasBeginning(pool, query)) return 'The list ends before offset.';
  if (genre === null && style === null)
    return tier === null ? 'No artist is listed yet.' : `No artist is in the tier ${tier} now.`;
  return 'No artist fits all filters together.';
}

/** Whether there is somebody on the list in front of the page. */
const hasBeginning = async (pool: Pool, query: BrowseQuery): Promise<boolean> =>
  query.offset > 0 && (await readPage(pool, { ...query, offset: 0, limit: 1 })).length > 0;

const quoted = (name: string | null): string => JSON.stringify(name ?? '');

/** Path of the page behind this one; null where browsing ends. */
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
