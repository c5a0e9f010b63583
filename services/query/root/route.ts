import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { Type } from '@sinclair/typebox';
import { CONTRACT_VERSION } from '../../../projections/engine/contract-version.ts';
import { currentDay } from '../../../projections/engine/day.ts';
import { ErrorBody } from '../../http/errors.ts';
import type { QueryParts } from '../parts.ts';

const RootBody = Type.Object({
  object: Type.Literal('root'),
  name: Type.String(),
  api_version: Type.String(),
  contract_version: Type.String(),
  as_of: Type.String({ description: 'The day for which date-dependent values are computed.' }),
  description: Type.String(),
  authentication: Type.Object({
    header: Type.String(),
    description: Type.String(),
  }),
  cold_start: Type.Array(
    Type.Object({
      step: Type.Integer(),
      call: Type.String(),
      take: Type.String(),
      why: Type.String(),
    }),
    { description: 'The calls that lead from a name to a dossier.' },
  ),
  endpoints: Type.Array(
    Type.Object({
      methods: Type.Array(Type.String()),
      path: Type.String(),
      summary: Type.String(),
      public: Type.Boolean(),
    }),
  ),
  _links: Type.Object({ self: Type.String(), docs: Type.String() }),
});

const COLD_START = [
  {
    step: 1,
    call: 'GET /api/v2/resolve?q={artist name}',
    take: 'cluster_id',
    why: 'Converts a name or a foreign id to the canonical identity; a null identity is a normal response.',
  },
  {
    step: 2,
    call: 'GET /api/v2/artist/{cluster_id}',
    take: 'the facets; state says whether each is present, empty or an honest_gap',
    why: 'One composed picture of the artist, with the provenance of every facet.',
  },
];

/** The public index: first calls, and all routes. */
export const rootRoutes: FastifyPluginCallbackTypebox<{ parts: QueryParts }> = (app, { parts }, done) => {
  app.get(
    '/api/v2',
    {
      config: { isPublic: true },
      schema: {
        operationId: 'getRoot',
        summary: 'This index',
        description:
          'Lists every route, and the two calls that lead from a name to a dossier. Works without an API key, within a limit for each address. as_of is the day for which date-dependent values are computed.',
        tags: ['index'],
        response: { 200: RootBody, '4xx': ErrorBody, '5xx': ErrorBody },
      },
    },
    (_request, reply) => {
      reply.header('cache-control', 'public, max-age=300');
      return {
        object: 'root' as const,
        name: 'Linernotes',
        api_version: 'v2',
        contract_version: CONTRACT_VERSION,
        as_of: currentDay(),
        description:
          'The signals that many independent producers hold about an artist, a label, a festival or a release, joined into one dossier.',
        authentication: {
          header: 'X-API-Key',
          description: 'Required on every route that is not public: ln_live_... or ln_test_...',
        },
        cold_start: COLD_START,
        endpoints: app.listedRoutes
          .filter(({ isUnlisted }) => !isUnlisted)
          .map(({ path, methods, summary, isPublic }) => ({
            path,
            methods: [...methods],
            summary,
            public: isPublic,
          })),
        _links: {
          self: `${parts.baseUrl()}/api/v2`,
          docs: `${parts.baseUrl()}/docs/api`,
        },
      };
    },
  );
  done();
};
