import type { FastifyReply, onRequestHookHandler } from 'fastify';
import { Counter, Gauge, type Registry } from 'prom-client';
import { visitorOf } from '../../http/client-network.ts';
import { definePlugin } from '../../http/define-plugin.ts';
import { ApiError } from '../errors.ts';
import type { LimitStore } from '../serving/limits/limit-store.ts';
import type { RatePolicy } from '../serving/limits/policy.ts';
import type { RateGroup, RateLimits, Verdict } from '../serving/rate-limits.ts';
import type { RateStanding } from '../serving/rate-window.ts';
import { addRequestHook } from './request-hook.ts';

declare module 'fastify' {
  interface FastifyInstance {
    readonly rateLimits: RateLimits;
    /** Counts a request that a limit refused. */
    readonly countRefusal: (refused: Refused) => void;
  }
  interface FastifyContextConfig {
    /** Whether the route is answered however often it is asked. */
    isUnlimited?: boolean;
    /** The routes that it counts together with; what it says of its standing is theirs. */
    limit?: RateGroup;
  }
}

export interface RateLimitOptions {
  readonly limits: RateLimits;
  /** What they are shared in; null where they are not. */
  readonly store: LimitStore | null;
  readonly metrics: Registry | null;
}

/** A place is free as soon as a request ends, which no window tells. */
const PLACE_RETRY_SECONDS = 1;

/** Refuses the requests of a key, or of an address on public routes, beyond its limits; says on each where it stands. */
export const rateLimit = definePlugin<RateLimitOptions>(
  'rate-limit',
  ['api-key', 'flights'],
  (app, { limits, store, metrics }) => {
    if (store !== null && metrics !== null) showStore(store, metrics);
    app.decorate('rateLimits', limits);
    app.decorate('countRefusal', refusalCounter(metrics));
    const countIn =
      (group: RateGroup | undefined): onRequestHookHandler =>
      (request, reply, done) => {
        const { accessKey } = request;
        const settle = (verdict: Verdict): void => {
          if (verdict.place !== null) app.flights.hold(request.flight, verdict.place);
          if (verdict.refusedBy !== null) {
            done(rateLimited(reply, verdict));
            return;
          }
          showStanding(reply, verdict.standing, verdict.policy, verdict.policies);
          done();
        };
        if (accessKey === null) limits.ofAddress(visitorOf(request.ip).network, settle);
        else limits.ofKey(accessKey, group, settle);
      };
    app.addHook('onRoute', (route) => {
      if (!route.config?.isUnlimited) addRequestHook(route, countIn(route.config?.limit));
    });
  },
);

/** What a refusal is told by; its place, if any, is not taken. */
type Refused = Omit<Verdict, 'place'>;

function refusalCounter(metrics: Registry | null): (refused: Refused) => void {
  if (metrics === null) return () => {};
  const refused = new Counter({
    name: 'linernotes_rate_limited_total',
    help: 'Requests that were refused, by the policy that they were beyond.',
    labelNames: ['policy'],
    registers: [metrics],
  });
  return ({ refusedBy, policy }) =>
    refused.inc({ policy: refusedBy === 'concurrency' ? 'concurrency' : policy.name });
}

function showStore(store: LimitStore, metrics: Registry): void {
  new Gauge({
    name: 'linernotes_limit_store_up',
    help: '1 where the limits are shared, 0 where their Redis does not answer.',
    registers: [metrics],
    collect() {
      this.set(store.isUp() ? 1 : 0);
    },
  });
}

/** The refusal of a request, counted, with the headers that go with it. */
export function rateLimited(reply: FastifyReply, refused: Refused): ApiError {
  const { refusedBy, standing, policy, policies } = refused;
  reply.server.countRefusal(refused);
  showStanding(reply, standing, policy, policies);
  if (refusedBy !== 'concurrency')
    return new ApiError('rate_limited', { retryAfterSeconds: standing.retryAfterSeconds });
  return new ApiError('rate_limited', {
    message: 'More requests of this key are under way than it may have at once.',
    hint: 'Wait for answers before sending more, and for retry_after_seconds before this request again.',
    retryAfterSeconds: PLACE_RETRY_SECONDS,
  });
}

/** Says where a request stands in its window, and by which policies. */
export function showStanding(
  reply: FastifyReply,
  { limit, remaining, resetAt, retryAfterSeconds }: RateStanding,
  policy: RatePolicy,
  policies: string,
): void {
  reply.header('x-ratelimit-limit', limit);
  reply.header('x-ratelimit-remaining', remaining);
  reply.header('x-ratelimit-reset', resetAt);
  reply.header('ratelimit-policy', policies);
  reply.header('ratelimit', `${policy.standing}${remaining};t=${retryAfterSeconds}`);
}
