import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';
import type { LimitStore } from './limit-store.ts';
import type { RateLimitState, RatePolicy } from './policy.ts';

/** The requests that a window has counted. */
export interface WindowCount {
  /** With the requests just added, even those beyond the limit. */
  readonly used: number;
  readonly msLeft: number;
}

/** Fixed windows, which begin for all subjects at the same time. */
export interface RateWindows {
  /** Counts requests of a subject, up to the limit of the policy; 0 requests read the count. Never rejects. */
  add(subject: string, policy: RatePolicy, requests: number): Promise<WindowCount>;
}

/** Milliseconds since 1970 by two clocks, so that setting the system's clock neither cuts nor stretches a window. */
export interface WindowClock {
  /** Never set after the process began. */
  readonly steady: () => number;
  /** The clients' clock. */
  readonly wall: () => number;
}

export const processClock: WindowClock = {
  steady: () => performance.timeOrigin + performance.now(),
  wall: Date.now,
};

export function windowState(
  { limit }: RatePolicy,
  { used, msLeft }: WindowCount,
  wallMs: number,
): RateLimitState {
  return {
    isAllowed: used <= limit,
    limit,
    remaining: Math.max(0, limit - used),
    resetAt: Math.round((wallMs + msLeft) / 1_000),
    retryAfterSeconds: Math.max(1, Math.ceil(msLeft / 1_000)),
  };
}

/** Subjects per window of one policy; a new one displaces the earliest, so that memory stays bounded. */
const MAX_SUBJECTS = 100_000;

/**
 * Counts in this process. One limiter holds one window of all subjects of a policy, and the next window replaces it. A
 * displaced network starts again, but the wider networks around it have counted its requests.
 */
export function memoryWindows(clock: WindowClock, maxSubjects = MAX_SUBJECTS): RateWindows {
  const byPolicy = new Map<string, { index: number; subjects: Set<string>; limiter: RateLimiterMemory }>();

  function windowAt(index: number, { name, windowMs }: RatePolicy) {
    const id = `${name}:${windowMs}`;
    const known = byPolicy.get(id);
    if (known?.index === index) return known;
    // Nothing in it expires; the limit is the caller's.
    const limiter = new RateLimiterMemory({ points: 1, duration: 0 });
    const begun = { index, subjects: new Set<string>(), limiter };
    byPolicy.set(id, begun);
    return begun;
  }

  return {
    async add(subject, policy, requests) {
      const { limit, windowMs } = policy;
      const at = clock.steady();
      const index = Math.floor(at / windowMs);
      const msLeft = (index + 1) * windowMs - at;
      const { limiter, subjects } = windowAt(index, policy);
      if (requests === 0) return { used: (await limiter.get(subject))?.consumedPoints ?? 0, msLeft };
      const { consumedPoints } = await limiter.penalty(subject, requests);
      subjects.add(subject);
      const [earliest] = subjects;
      if (subjects.size > maxSubjects && earliest !== undefined) {
        subjects.delete(earliest);
        await limiter.delete(earliest);
      }
      const beyond = Math.min(requests, consumedPoints - limit);
      if (beyond > 0) await limiter.reward(subject, beyond);
      return { used: consumedPoints, msLeft };
    },
  };
}

/**
 * The library's script begins each window with its first request. This one aligns windows to the clock of Redis, and does
 * not count beyond the limit. ARGV: requests, window in seconds, limit.
 */
const ADD = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local left = ARGV[2] * 1000 - now % (ARGV[2] * 1000)
local used = tonumber(redis.call('GET', KEYS[1]) or '0')
local counted = math.min(tonumber(ARGV[1]), ARGV[3] - used)
if counted > 0 then
  redis.call('INCRBY', KEYS[1], counted)
  redis.call('PEXPIRE', KEYS[1], left)
end
return { used + ARGV[1], left }
`;

/** Counts in Redis with all processes, or in `local` while Redis is unavailable. */
export function redisWindows(store: LimitStore, local: RateWindows): RateWindows {
  const limiters = new Map<RatePolicy, RateLimiterRedis>();

  function limiterOf(policy: RatePolicy): RateLimiterRedis {
    const known = limiters.get(policy);
    if (known !== undefined) return known;
    const limiter = new RateLimiterRedis({
      storeClient: store.client,
      points: policy.limit,
      duration: policy.windowMs / 1_000,
      keyPrefix: store.prefix,
      rejectIfRedisNotReady: true,
      customIncrTtlLuaScript: ADD,
    });
    limiters.set(policy, limiter);
    return limiter;
  }

  return {
    async add(subject, policy, requests) {
      try {
        const { consumedPoints, msBeforeNext } = await limiterOf(policy).penalty(subject, requests);
        return { used: consumedPoints, msLeft: msBeforeNext };
      } catch {
        return local.add(subject, policy, requests);
      }
    },
  };
}
