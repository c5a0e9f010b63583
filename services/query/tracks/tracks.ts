import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { type Static, Type } from '@sinclair/typebox';
import type { Pool } from 'pg';
import { comparable } from '../../../projections/models/recording/lookup-keys.ts';
import type { TrackCorpus } from '../../../projections/models/track/document.ts';
import { findParts } from '../../../projections/models/track/find-parts.ts';
import {
  NO_TITLES,
  type TitleCandidates,
  type TitleLookup,
  titleLookup,
} from '../../../projections/models/track/find-titles.ts';
import { foldTitle } from '../../../projections/models/track/fold-title.ts';
import { partPattern } from '../../../projections/models/track/part-pattern.ts';
import { ErrorBody, invalidParameter } from '../../http/errors.ts';
import { COSTLY } from '../../http/fair-queue.ts';
import { cacheControlOf, FailedRead, limitShared, type SoftRead, softReader } from '../../http/soft-read.ts';
import type { QueryParts } from '../parts.ts';
import { RankedArtist, rankArtists } from './rank-artists.ts';
import { State } from './schema.ts';

const MOST_RESULTS = 50;
const DEFAULT_RESULTS = 20;
const oneOf = <const V extends readonly string[]>(values: V, description: string, fallback: V[number]) =>
  Type.Optional(Type.Unsafe<V[number]>({ type: 'string', enum: values, default: fallback, description }));

const TracksQuery = Type.Object(
  {
    title: Type.String({
      description: 'Title, matched whole, ignoring case and punctuation. With fuzzy, a part of titles.',
    }),
    fuzzy: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Whether to match title as a part of titles. Needs at least 3 characters.',
      }),
    ),
    source: oneOf(
      ['mb', 'storefront', 'all'],
      'mb: tracks of the metadata database. storefront: tracks for sale there, including self-released ones. all: both, merged per cluster.',
      'mb',
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MOST_RESULTS, default: DEFAULT_RESULTS })),
  },
  { additionalProperties: false },
);
/** Validation fills in the defaults. */
type TracksQuery = Required<Static<typeof TracksQuery>>;

export const TracksBody = Type.Object({
  state: State,
  source: Type.Union([Type.Literal('mb'), Type.Literal('storefront'), Type.Literal('all')]),
  mode: Type.Union([Type.Literal('exact'), Type.Literal('fuzzy')]),
  titleQuery: Type.String({ description: 'The requested title.' }),
  normalized: Type.String({
    description:
      'The compared text: letters and digits in lower case if exact, the part in lower case if fuzzy.',
  }),
  truncated: Type.Boolean({
    description:
      'Whether the response covers only a bounded sample, so that results may be missing: more titles match than are read, or a fuzzy search ran out of time.',
  }),
  count: Type.Integer({ description: 'Number of results in this response.' }),
  results: Type.Array(RankedArtist, {
    maxItems: MOST_RESULTS,
    description: 'Artists by releases of their version, then by recordings, then by id.',
  }),
});
export type TracksBody = Static<typeof TracksBody>;

/** Artists by the title of a track. */
export const tracksRoutes: FastifyPluginCallbackTypebox<{
  parts: QueryParts;
}> = (app, { parts }, done) => {
  const { leftMs } = app.inFlight;
  const discover = trackDiscovery(parts.readPool, softReader({ log: parts.log, what: 'tracks', leftMs }));
  app.get(
    '/api/v2/tracks',
    {
      config: {
        cost: (request) => ((request.query as TracksQuery).fuzzy ? COSTLY : 1),
        errors: ['invalid_query'],
      },
      schema: {
        operationId: 'getTracks',
        summary: 'Artists who recorded a title, by the whole title or a part',
        description:
          'Lists the artists who recorded a title, ranked by the releases with their version. Without a match, results is empty. With fuzzy, title is a part of at least 3 characters; a shorter one finds nothing. truncated says that only a bounded sample was ranked. While a source cannot be read, state is degraded and results may be missing.',
        tags: ['tracks'],
        querystring: TracksQuery,
        response: { 200: TracksBody, '4xx': ErrorBody, '5xx': ErrorBody },
      },
    },
    async (request, reply) => {
      const query = request.query as TracksQuery;
      // A fuzzy search for a short title has an empty result, not an error.
      if (query.title === '' && !query.fuzzy) throw invalidParameter('title', 'must not be empty');
      const body = await discover(query);
      reply.header('cache-control', cacheControlOf(body.state));
      return body;
    },
  );
  done();
};

const MIN_PART_LENGTH = 3;

const CORPORA: Readonly<Record<TracksQuery['source'], readonly TrackCorpus[]>> = {
  mb: ['mb'],
  storefront: ['storefront'],
  all: ['mb', 'storefront'],
};

/** How to search for a title. */
interface TitleSearch {
  readonly normalized: string;
  readonly find: (corpus: TrackCorpus) => Promise<TitleCandidates>;
  readonly isMatch: (title: string) => boolean;
}

type Discover = (query: TracksQuery) => Promise<TracksBody>;

/** Makes a function that finds artists by the title of a track. Searches for whole titles share statements. */
function trackDiscovery(pool: Pool, softly: SoftRead): Discover {
  const shared = limitShared(pool);
  const lookup = { mb: titleLookup(shared, 'mb'), storefront: titleLookup(shared, 'storefront') };
  return async ({ title, fuzzy, source, limit }) => {
    const { normalized, find, isMatch } = fuzzy ? byPart(pool, lookup, title) : byTitle(lookup, title);
    const read = await Promise.all(
      CORPORA[source].map(async (corpus) => {
        const found = await softly(() => find(corpus));
        return found instanceof FailedRead ? found : { corpus, ...found };
      }),
    );
    const found = read.flatMap((one) => (one instanceof FailedRead ? [] : [one]));
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

type Lookup = Readonly<Record<TrackCorpus, TitleLookup>>;

function byTitle(lookup: Lookup, title: string): TitleSearch {
  const normalized = comparable(title);
  return {
    normalized,
    find: (corpus) => lookup[corpus](title),
    isMatch: (other) => comparable(other) === normalized,
  };
}

function byPart(pool: Pool, lookup: Lookup, title: string): TitleSearch {
  const normalized = foldTitle(title);
  return {
    normalized,
    find: (corpus) => findPart(pool, { title: lookup[corpus], corpus, part: normalized }),
    isMatch: (other) => foldTitle(other).includes(normalized),
  };
}

interface PartSearch {
  readonly title: TitleLookup;
  readonly corpus: TrackCorpus;
  readonly part: string;
}

async function findPart(pool: Pool, { title, corpus, part }: PartSearch): Promise<TitleCandidates> {
  if ([...part].length < MIN_PART_LENGTH) return NO_TITLES;
  const found = await findParts(pool, corpus, part);
  if (!found.isTruncated || partPattern(part).isIndexed) return found;
  // The sample of many titles may lack exact matches, so add them.
  const { documents } = await title(part);
  const byKey = new Map([...documents, ...found.documents].map((document) => [document.key, document]));
  return { documents: [...byKey.values()], isTruncated: true };
}
