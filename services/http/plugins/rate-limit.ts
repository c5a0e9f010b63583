import type { FastifyReply, onRequestHookHandler } from 'fastify';
import { Counter, Gauge, type Registry } from 'prom-client';
import { networkOf } from '../client-network.ts';
import { definePlugin } from '../define-plugin.ts';
import { ApiError } from '../errors.ts';
import type { LimitStore } from '../limits/limit-store.ts';
import type { RateLimitState, RatePolicy } from '../limits/policy.ts';
import type { LimitDecision, RateLimits } from '../limits/rate-limits.ts';
import type { RateGroup } from '../limits/tiers.ts';
import { addRequestHook } from './request-hook.ts';

declare module 'fastify' {
  interface FastifyInstance {
    readonly rateLimits: RateLimits;
    /** Counts a request that a limit rejected. */
    readonly countRejection: (rejected: Rejection) => void;
  }
  interface FastifyContextConfig {
    /** Whether no limit counts requests to the route. */
    isUnlimited?: boolean;
    /** The group of routes whose limit the route shares and reports. */
    limit?: RateGroup;
  }
}

export interface RateLimitOptions {
  readonly limits: RateLimits;
  /** Where processes share them; null if each counts by itself. */
  readonly store: LimitStore | null;
  readonly metrics: Registry | null;
}

/** A slot is free as soon as a request ends, at any time in a window. */
const SLOT_RETRY_SECONDS = 1;

/** Rejects requests of a key, or of an address on public routes, beyond its limits; reports the limits on each response. */
export const rateLimit = definePlugin<RateLimitOptions>(
  'rate-limit',
  ['api-key', 'in-flight'],
  (app, { limits, store, metrics }) => {
    if (store !== null && metrics !== null) showStore(store, metrics);
    app.decorate('rateLimits', limits);
    app.decorate('countRejection', rejectionCounter(metrics));
    const countIn =
      (group: RateGroup | undefined): onRequestHookHandler =>
      (request, reply, done) => {
        const { accessKey } = request;
        const decision =
          accessKey === null ? limits.ofAddress(networkOf(request.ip)) : limits.ofKey(accessKey, group);
        decision.then((decided) => {
          if (decided.slot !== null) app.inFlight.hold(request.inFlight, decided.slot);
          if (decided.rejectedBy !== null) return done(rateLimited(reply, decided));
          reportLimits(reply, decided);
          done();
        }, done);
      };
    app.addHook('onRoute', (route) => {
      if (!route.config?.isUnlimited) addRequestHook(route, countIn(route.config?.limit));
    });
  },
);

interface LimitReport {
  readonly state: RateLimitState;
  readonly policy: RatePolicy;
  readonly policies: string;
}

type Rejection = Omit<LimitDecision, 'slot'>;

function rejectionCounter(metrics: Registry | null): (rejected: Rejection) => void {
  if (metrics === null) return () => {};
  const rejected = new Counter({
    name: 'linernotes_rate_limited_total',
    help: 'Requests that a limit rejected, by its policy.',
    labelNames: ['policy'],
    registers: [metrics],
  });
  return ({ rejectedBy, policy }) =>
    rejected.inc({ policy: rejectedBy === 'concurrency' ? 'concurrency' : policy.name });
}

function showStore(store: LimitStore, metrics: Registry): void {
  new Gauge({
    name: 'linernotes_limit_store_up',
    help: '1 while processes share their limits, 0 while Redis is unavailable.',
    registers: [metrics],
    collect() {
      this.set(store.isUp() ? 1 : 0);
    },
  });
}

/** Counts a rejected request and sets its headers. */
export function rateLimited(reply: FastifyReply, rejected: Rejection): ApiError {
  const { rejectedBy, state } = rejected;
  reply.server.countRejection(rejected);
  reportLimits(reply, rejected);
  if (rejectedBy !== 'concurrency')
    return new ApiError('rate_limited', { retryAfterSeconds: state.retryAfterSeconds });
  return new ApiError('rate_limited', {
    message: 'This key has too many concurrent requests.',
    hint: 'Wait for responses before sending more requests, and wait retry_after_seconds before this one.',
    retryAfterSeconds: SLOT_RETRY_SECONDS,
  });
}

/** Sets the headers that report a window and all policies. */
export function reportLimits(reply: FastifyReply, { state, policy, policies }: LimitReport): void {
  const { limit, remaining, resetAt, retryAfterSeconds } = state;
  reply.header('x-ratelimit-limit', limit);
  reply.header('x-ratelimit-remaining', remaining);
  reply.header('x-ratelimit-reset', resetAt);
  reply.header('ratelimit-policy', policies);
  reply.header('ratelimit', `${policy.stateMember}${remaining};t=${retryAfterSeconds}`);
}
