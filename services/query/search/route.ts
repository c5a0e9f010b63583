import { randomUUID } from 'node:crypto';
import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply } from 'fastify';
import { ApiError, ErrorBody } from '../../http/errors.ts';
import { COSTLY } from '../../http/fair-queue.ts';
import { SIGNAL_MS } from '../../http/in-flight.ts';
import { readNulls } from '../../http/null-parameters.ts';
import { invalidQuery } from '../../http/plugins/errors.ts';
import type { QueryParts } from '../parts.ts';
import type { Interpretation, SearchFilters, Vocabulary } from '../plain-language/interpretation.ts';
import { FRESHNESS } from '../status/consistency-headers.ts';
import { givenFilters, shownFilters, withInterpreted } from './apply-filters.ts';
import type { SearchEngine } from './engine.ts';
import { mirrorLag } from './mirror-lag.ts';
import { errorsIn, isSearchable, searchQuery } from './query.ts';
import { rejectUnknown } from './reject-unknown.ts';
import { resultBody } from './result-body.ts';
import { SearchBody, SearchParameters } from './schema.ts';

const DEFAULT_LIMIT = 50;
const NULLABLE = ['offset', 'dj_count_min'];

/** Search for release groups by words and filters. */
export const searchRoutes: FastifyPluginCallbackTypebox<{ parts: QueryParts }> = (app, { parts }, done) => {
  const mirrorLagSeconds = mirrorLag(parts.watchPool, parts.now);
  app.addHook('onClose', () => parts.search.stop());
  app.get(
    '/api/v2/search',
    {
      // Every response has its own token.
      config: {
        hasNoEtag: true,
        rejectsUnknown: true,
        cost: COSTLY,
        errors: ['invalid_query', 'invalid_facet'],
      },
      handlerTimeout: SIGNAL_MS,
      schema: {
        operationId: 'search',
        summary: 'Release groups by words of title and artist, and by facets',
        description:
          'Finds release groups by words of title and artist, and narrows them by filters. Returns a page of results, their total, facet counts to refine with, and a token for search events. With nl=true, q is first interpreted as plain language. An unknown filter is rejected, with the name that was probably meant. offset ends at 10,000.',
        tags: ['search'],
        querystring: SearchParameters,
        response: { 200: SearchBody, '4xx': ErrorBody, '5xx': ErrorBody },
      },
      // The error names the parameter; its details name the invalid value of several.
      attachValidation: true,
      preValidation: (request, _reply, next) => {
        const query: Record<string, unknown> = request.query;
        rejectUnknown(query, (other) => {
          readNulls(other, NULLABLE);
          return (
            request.validateInput(other, 'querystring') && errorsIn(other as SearchParameters).length === 0
          );
        });
        readNulls(query, NULLABLE);
        next();
      },
    },
    async (request, reply) => {
      if (request.validationError) throw errorOf(request.validationError);
      const { query, signal } = request;
      const [error, ...others] = errorsIn(query);
      if (error !== undefined)
        throw new ApiError('invalid_query', { param: error.path, details: [error, ...others] });
      const { q, filters, interpretation } = await interpretQuery(query, signal);
      const page = { offset: query.offset ?? 0, limit: query.limit ?? DEFAULT_LIMIT };
      const found = await parts.search.search(searchQuery(q, filters, page), {
        signal,
        isUpToDate: waitedForChange(reply),
      });
      const search_event_id = randomUUID();
      const { token, expiresAt } = await parts.beacons.issue(search_event_id);
      reply.header('cache-control', 'private, no-cache');
      return {
        query: { q, filters: shownFilters(filters) },
        ...(interpretation === null ? {} : { interpretation: interpretationBody(interpretation) }),
        ...resultBody(found, page, {
          explorerUrl: parts.explorerUrl ?? parts.baseUrl(),
          mirrorLagSeconds: await mirrorLagSeconds(),
        }),
        telemetry: { search_event_id, beacon_token: token, expires_at: expiresAt.toISOString() },
      };
    },
  );
  done();

  async function interpretQuery(query: SearchParameters, signal: AbortSignal): Promise<InterpretedQuery> {
    const given = givenFilters(query);
    if (query.nl !== true) return { q: query.q, filters: given, interpretation: null };
    const vocabulary = await facetVocabulary(parts.search, signal);
    const interpretation = await parts.interpreter.interpret(query.q, vocabulary, signal);
    const q = isSearchable(interpretation.q) ? interpretation.q : '';
    return { q, filters: withInterpreted(given, interpretation), interpretation };
  }
};

function errorOf({ validation }: { readonly validation: Parameters<typeof invalidQuery>[0] }): ApiError {
  const { context } = invalidQuery(validation);
  const [param] = context.param?.split('.') ?? [];
  return new ApiError('invalid_query', { ...context, ...(param === undefined ? {} : { param }) });
}

/** Words and filters of a search, from parameters or plain language. */
interface InterpretedQuery {
  readonly q: string;
  readonly filters: SearchFilters;
  readonly interpretation: Interpretation | null;
}

const interpretationBody = ({ engine, confidence, unmatched }: Interpretation) => ({
  engine,
  confidence,
  unmatched: [...unmatched],
});

/** A request that waited for a change must find it. */
const waitedForChange = (reply: FastifyReply): boolean => reply.hasHeader(FRESHNESS);

/** The vocabulary of the interpreter: all facet values. */
async function facetVocabulary(engine: SearchEngine, signal: AbortSignal): Promise<Vocabulary> {
  const {
    values: { values },
  } = await engine.facets(signal);
  const spelt = (facet: 'genre' | 'style' | 'format' | 'country'): string[] =>
    values[facet].map(({ value }) => value);
  return {
    genres: spelt('genre'),
    styles: spelt('style'),
    formats: spelt('format'),
    countries: spelt('country'),
    labels: (name) => engine.findLabel(name, signal),
  };
}
