import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { isoSecond } from '../../../projections/provenance.ts';
import { ApiError, ErrorBody } from '../errors.ts';
import type { QueryParts } from '../parts.ts';
import { NoQuery } from '../schemas/no-query.ts';
import { UsageBody } from '../schemas/usage.ts';
import { type RateStanding, WINDOW_SECONDS } from '../serving/rate-window.ts';

/** What the calling key may do, and how much of it is left. */
export const usageRoutes: FastifyPluginCallbackTypebox<{ parts: QueryParts }> = (app, { parts }, done) => {
  app.get(
    '/api/v2/usage',
    {
      schema: {
        operationId: 'getUsage',
        summary: 'Limits of the calling key, what is left of them, its tier and its expiry',
        tags: ['account'],
        querystring: NoQuery,
        response: { 200: UsageBody, '4xx': ErrorBody, '5xx': ErrorBody },
      },
    },
    (request, reply) => {
      const { accessKey } = request;
      if (accessKey === null) throw new ApiError('missing_api_key');
      const { id, environment, tier, expiresAt } = accessKey;
      const { general, groups } = app.rateLimits.standingOf(accessKey);
      reply.header('cache-control', 'no-store');
      return {
        object: 'usage' as const,
        key: {
          id,
          environment,
          tier,
          expires_at: expiresAt === null ? null : isoSecond(expiresAt.getTime()),
        },
        limits: { requests: shown(general), track_resolve: shown(groups.trackResolve) },
        generated_at: isoSecond(parts.now()),
      };
    },
  );
  done();
};

const shown = ({ limit, remaining, resetAt }: RateStanding) => ({
  window_seconds: WINDOW_SECONDS,
  limit,
  remaining,
  resets_at: isoSecond(resetAt * 1_000),
});
