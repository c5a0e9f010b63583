import { randomUUID } from 'node:crypto';
import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply } from 'fastify';
import { ApiError, ErrorBody } from '../errors.ts';
import type { Interpretation, SearchFilters } from '../interpret/interpretation.ts';
import type { QueryParts } from '../parts.ts';
import { invalidQuery } from '../plugins/errors.ts';
import { SearchBody, SearchParameters } from '../schemas/search.ts';
import { foundBody } from '../search/answer.ts';
import { givenFilters, shownFilters, withInterpreted } from '../search/filters.ts';
import { mirrorLag } from '../search/mirror-lag.ts';
import { faultsOf, isSearchable, searchQuery } from '../search/query.ts';
import { refuseUnknown } from '../search/refuse-unknown.ts';
import { facetVocabulary } from '../search/vocabulary.ts';
import { FRESHNESS } from '../serving/consistency-headers.ts';
import { SIGNAL_MS } from '../serving/flights.ts';
import { readNulls } from '../serving/null-parameters.ts';

const DEFAULT_LIMIT = 50;
const NULLABLE = ['offset', 'dj_count_min'];

/** Search for release groups by words and filters. */
export const searchRoutes: FastifyPluginCallbackTypebox<{ parts: QueryParts }> = (app, { parts }, done) => {
  const mirrorLagSeconds = mirrorLag(parts.watchPool, parts.now);
  app.addHook('onClose', () => parts.search.stop());
  app.get(
    '/api/v2/search',
    {
      // A token of its own is in every answer.
      config: { hasNoEtag: true },
      handlerTimeout: SIGNAL_MS,
      schema: {
        operationId: 'search',
        summary: 'Release groups by words of title and artist, and by facets',
        tags: ['search'],
        querystring: SearchParameters,
        response: { 200: SearchBody, '4xx': ErrorBody, '5xx': ErrorBody },
      },
      // Of a parameter with several values the refusal names the parameter; its details say which value.
      attachValidation: true,
      preValidation: (request, _reply, next) => {
        const query: Record<string, unknown> = request.query;
        refuseUnknown(query, (other) => {
          readNulls(other, NULLABLE);
          return (
            request.validateInput(other, 'querystring') && faultsOf(other as SearchParameters).length === 0
          );
        });
        readNulls(query, NULLABLE);
        next();
      },
    },
    async (request, reply) => {
      if (request.validationError) throw refusalOf(request.validationError);
      const { query, signal } = request;
      const [fault, ...others] = faultsOf(query);
      if (fault !== undefined)
        throw new ApiError('invalid_query', { param: fault.path, details: [fault, ...others] });
      const { q, filters, interpretation } = await asked(query, signal);
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
        ...(interpretation === null ? {} : { interpretation: told(interpretation) }),
        ...foundBody(found, page, {
          explorerUrl: parts.explorerUrl ?? parts.baseUrl(),
          mirrorLagSeconds: await mirrorLagSeconds(),
        }),
        telemetry: { search_event_id, beacon_token: token, expires_at: expiresAt.toISOString() },
      };
    },
  );
  done();

  async function asked(query: SearchParameters, signal: AbortSignal): Promise<Asked> {
    const given = givenFilters(query);
    if (query.nl !== true) return { q: query.q, filters: given, interpretation: null };
    const vocabulary = await facetVocabulary(parts.search, signal);
    const interpretation = await parts.interpreter.interpret(query.q, vocabulary, signal);
    const q = isSearchable(interpretation.q) ? interpretation.q : '';
    return { q, filters: withInterpreted(given, interpretation), interpretation };
  }
};

function refusalOf({ validation }: { readonly validation: Parameters<typeof invalidQuery>[0] }): ApiError {
  const { context } = invalidQuery(validation);
  const [param] = context.param?.split('.') ?? [];
  return new ApiError('invalid_query', { ...context, ...(param === undefined ? {} : { param }) });
}

/** What is searched for, be it said by parameters or in plain language. */
interface Asked {
  readonly q: string;
  readonly filters: SearchFilters;
  readonly interpretation: Interpretation | null;
}

const told = ({ engine, confidence, unmatched }: Interpretation) => ({
  engine,
  confidence,
  unmatched: [...unmatched],
});

/** Whoever waited until a change is in the read model finds it too. */
const waitedForChange = (reply: FastifyReply): boolean => reply.hasHeader(FRESHNESS);
