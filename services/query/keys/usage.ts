import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { Type } from '@sinclair/typebox';
import { isoSecond } from '../../../projections/engine/provenance.ts';
import { orNull } from '../../../projections/engine/values.ts';
import { ApiError, ErrorBody } from '../../http/errors.ts';
import type { RateLimitState, RatePolicy } from '../../http/limits/policy.ts';
import type { KeyUsage } from '../../http/limits/rate-limits.ts';
import type { QueryParts } from '../parts.ts';

const rateLimitState = (description: string) =>
  Type.Object(
    {
      window_seconds: Type.Integer({ description: 'Length of the window that requests are counted in.' }),
      limit: Type.Integer({ description: 'Requests allowed in the window.' }),
      remaining: Type.Integer({ description: 'Requests left in the window.' }),
      resets_at: Type.String({ format: 'date-time', description: 'End of the window, in UTC.' }),
    },
    { description },
  );

export const UsageBody = Type.Object({
  object: Type.Literal('usage'),
  key: Type.Object({
    id: Type.String({ description: 'Public id of the key; not part of its secret.' }),
    environment: Type.Union([Type.Literal('live'), Type.Literal('test')]),
    tier: Type.String(),
    expires_at: orNull(
      Type.String({ format: 'date-time', description: 'When the key stops working; null for never.' }),
    ),
  }),
  limits: Type.Object({
    requests: rateLimitState('All requests with this key, including this one.'),
    track_resolve: rateLimitState('Requests to resolve tracks, which also have a limit of their own.'),
    tier: orNull(rateLimitState('Requests with all keys of the tier together; null without such a limit.')),
    concurrency: Type.Object({
      limit: orNull(Type.Integer({ description: 'Maximum concurrent requests; null for no limit.' })),
      under_way: Type.Integer({ description: 'In-flight requests with this key, including this one.' }),
    }),
  }),
  generated_at: Type.String({ format: 'date-time' }),
});

/** Limits of the calling key and what is left of them. */
export const usageRoutes: FastifyPluginCallbackTypebox<{ parts: QueryParts }> = (app, { parts }, done) => {
  app.get(
    '/api/v2/usage',
    {
      config: { hasNoEtag: true },
      schema: {
        operationId: 'getUsage',
        summary: 'Limits of the calling key, what is left of them, its tier and its expiry',
        description:
          'Returns the limits of the calling key and what is left of them, with its tier and its expiry. This request counts too. tier is null if no limit joins the keys of the tier.',
        tags: ['account'],
        response: { 200: UsageBody, '4xx': ErrorBody, '5xx': ErrorBody },
      },
    },
    async (request, reply) => {
      const { accessKey } = request;
      if (accessKey === null) throw new ApiError('missing_api_key');
      const { id, environment, tier, expiresAt } = accessKey;
      const usage = await app.rateLimits.usageOf(accessKey);
      reply.header('cache-control', 'no-store');
      return {
        object: 'usage' as const,
        key: {
          id,
          environment,
          tier,
          expires_at: expiresAt === null ? null : isoSecond(expiresAt.getTime()),
        },
        limits: limitsOf(usage),
        generated_at: isoSecond(parts.now()),
      };
    },
  );
  done();
};

const limitsOf = ({ tier, general, shared, groups, inFlight }: KeyUsage) => ({
  requests: shown(general, tier.general),
  track_resolve: shown(groups.trackResolve, tier.groups.trackResolve),
  tier: shared === null || tier.shared === null ? null : shown(shared, tier.shared),
  concurrency: { limit: tier.concurrency, under_way: inFlight },
});

const shown = ({ limit, remaining, resetAt }: RateLimitState, { windowMs }: RatePolicy) => ({
  window_seconds: windowMs / 1_000,
  limit,
  remaining,
  resets_at: isoSecond(resetAt * 1_000),
});
