import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { isoSecond } from '../../../projections/provenance.ts';
import { ApiError, ErrorBody } from '../errors.ts';
import type { QueryParts } from '../parts.ts';
import { NoQuery } from '../schemas/no-query.ts';
import { UsageBody } from '../schemas/usage.ts';
import type { RatePolicy } from '../serving/limits/policy.ts';
import type { KeyStanding } from '../serving/rate-limits.ts';
import type { RateStanding } from '../serving/rate-window.ts';

/** What the calling key may do, and how much of it is left. */
export const usageRoutes: FastifyPluginCallbackTypebox<{ parts: QueryParts }> = (app, { parts }, done) => {
  app.get(
    '/api/v2/usage',
    {
      config: { hasNoEtag: true },
      schema: {
        operationId: 'getUsage',
        summary: 'Limits of the calling key, what is left of them, its tier and its expiry',
        tags: ['account'],
        querystring: NoQuery,
        response: { 200: UsageBody, '4xx': ErrorBody, '5xx': ErrorBody },
      },
    },
    async (request, reply) => {
      const { accessKey } = request;
      if (accessKey === null) throw new ApiError('missing_api_key');
      const { id, environment, tier, expiresAt } = accessKey;
      const standing = await app.rateLimits.standingOf(accessKey);
      reply.header('cache-control', 'no-store');
      return {
        object: 'usage' as const,
        key: {
          id,
          environment,
          tier,
          expires_at: expiresAt === null ? null : isoSecond(expiresAt.getTime()),
        },
        limits: limitsOf(standing),
        generated_at: isoSecond(parts.now()),
      };
    },
  );
  done();
};

const limitsOf = ({ tier, general, together, groups, underWay }: KeyStanding) => ({
  requests: shown(general, tier.general),
  track_resolve: shown(groups.trackResolve, tier.groups.trackResolve),
  tier: together === null || tier.together === null ? null : shown(together, tier.together),
  concurrency: { limit: tier.atOnce, under_way: underWay },
});

const shown = ({ limit, remaining, resetAt }: RateStanding, { windowMs }: RatePolicy) => ({
  window_seconds: windowMs / 1_000,
  limit,
  remaining,
  resets_at: isoSecond(resetAt * 1_000),
});
