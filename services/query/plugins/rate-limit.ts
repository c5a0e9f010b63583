import type { FastifyReply } from 'fastify';
import { ApiError } from '../errors.ts';
import type { RateGroup, RateLimits } from '../serving/rate-limits.ts';
import type { RateStanding } from '../serving/rate-window.ts';
import { definePlugin } from './define-plugin.ts';

declare module 'fastify' {
  interface FastifyInstance {
    readonly rateLimits: RateLimits;
  }
  interface FastifyContextConfig {
    /** Whether the route is answered however often it is asked. */
    isUnlimited?: boolean;
    /** The routes that it counts together with; what it says of its standing is theirs. */
    limit?: RateGroup;
  }
}

/** Refuses the requests of a key, or of an address on public routes, beyond its limit; says on each where it stands. */
export const rateLimit = definePlugin<{ readonly limits: RateLimits }>(
  'rate-limit',
  ['api-key'],
  (app, { limits }) => {
    app.decorate('rateLimits', limits);
    app.addHook('onRequest', (request, reply, done) => {
      const { accessKey } = request;
      const { isUnlimited, limit } = request.routeOptions.config;
      if (isUnlimited) return done();
      const general = accessKey === null ? limits.ofPublic(request.ip) : limits.ofKey(accessKey);
      const isCountedApart = general.isAllowed && limit !== undefined && accessKey !== null;
      const standing = isCountedApart ? limits.ofGroup(limit, accessKey) : general;
      if (!standing.isAllowed) return done(rateLimited(reply, standing));
      showStanding(reply, standing);
      done();
    });
  },
);

/** The refusal of a request, with the headers that go with it. */
export function rateLimited(reply: FastifyReply, standing: RateStanding): ApiError {
  showStanding(reply, standing);
  return new ApiError('rate_limited', {
    retryAfterSeconds: standing.retryAfterSeconds,
  });
}

/** Says where a request stands in its window. */
export function showStanding(reply: FastifyReply, { limit, remaining, resetAt }: RateStanding): void {
  reply.header('x-ratelimit-limit', limit);
  reply.header('x-ratelimit-remaining', remaining);
  reply.header('x-ratelimit-reset', resetAt);
}
