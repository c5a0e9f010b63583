import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { comparable } from '../../../../projections/recording/addresses.ts';
import type { Corpus } from '../../../../projections/track/document.ts';
import { findParts } from '../../../../projections/track/find-parts.ts';
import {
  NO_TITLES,
  type TitleCandidates,
  type TitleLookup,
  titleLookup,
} from '../../../../projections/track/find-titles.ts';
import { lowered } from '../../../../projections/track/lowered.ts';
import { searchable } from '../../../../projections/track/searchable.ts';
import type { TracksBody, TracksQuery } from '../../schemas/tracks.ts';
import { rankArtists } from './rank-artists.ts';
import { corpusReader } from './read-corpus.ts';

const LEAST_PART = 3;

const CORPORA: Readonly<Record<TracksQuery['source'], readonly Corpus[]>> = {
  mb: ['mb'],
  storefront: ['storefront'],
  all: ['mb', 'storefront'],
};

/** How a title is looked for. */
interface Search {
  readonly normalized: string;
  readonly find: (corpus: Corpus) => Promise<TitleCandidates>;
  readonly isMatch: (title: string) => boolean;
}

type Discover = (query: TracksQuery) => Promise<TracksBody>;

/** Makes what finds artists by the title of a track. Titles that are asked for whole share their statements. */
export function trackDiscovery(pool: Pool, log: Logger): Discover {
  const lookup = { mb: titleLookup(pool, 'mb'), storefront: titleLookup(pool, 'storefront') };
  const readCorpus = corpusReader(log);
  return async ({ title, fuzzy, source, limit }) => {
    const { normalized, find, isMatch } = fuzzy ? byPart(pool, lookup, title) : byTitle(lookup, title);
    const read = await Promise.all(
      CORPORA[source].map(async (corpus) => {
        const found = await readCorpus(() => find(corpus));
        return found && { corpus, ...found };
      }),
    );
    const found = read.filter((one) => one !== null);
    const results = rankArtists(found, isMatch).slice(0, limit);
    return {
      state: found.length === read.length ? 'ok' : 'degraded',
      source,
      mode: fuzzy ? 'fuzzy' : 'exact',
      titleQuery: title,
      normalized,
      truncated: found.some(({ isTruncated }) => isTruncated),
      count: results.length,
      results,
    };
  };
}

type Lookup = Readonly<Record<Corpus, TitleLookup>>;

function byTitle(lookup: Lookup, title: string): Search {
  const normalized = comparable(title);
  return {
    normalized,
    find: (corpus) => lookup[corpus](title),
    isMatch: (other) => comparable(other) === normalized,
  };
}

function byPart(pool: Pool, lookup: Lookup, title: string): Search {
  const normalized = lowered(title);
  return {
    normalized,
    find: (corpus) => findPart(pool, lookup, corpus, normalized),
    isMatch: (other) => lowered(other).includes(normalized),
  };
}

async function findPart(pool: Pool, lookup: Lookup, corpus: Corpus, part: string): Promise<TitleCandidates> {
  if ([...part].length < LEAST_PART) return NO_TITLES;
  const found = await findParts(pool, corpus, part);
  if (!found.isTruncated || searchable(part).isIndexed) return found;
  // Of many titles only a sample was seen; those that are the part and nothing else belong to it in any case.
  const { documents } = await lookup[corpus](part);
  const byKey = new Map([...documents, ...found.documents].map((document) => [document.key, document]));
  return { documents: [...byKey.values()], isTruncated: true };
}
