import type { Result } from 'ioredis';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { LimitStore } from './limit-store.ts';
import type { RateLimitState, RatePolicy } from './policy.ts';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    linernotesCount(keys: number, ...keysAndValues: (string | number)[]): Result<number[], Context>;
  }
}

/** A window of a subject. */
export interface Counter {
  readonly subject: string;
  readonly policy: RatePolicy;
}

/** What a window had counted before some requests. */
export interface WindowCount {
  readonly before: number;
  readonly msLeft: number;
}

/** Fixed windows, which begin for all subjects at the same time. */
export interface RateWindows {
  /**
   * Counts requests in each window, as many as the windows before it accept. Ends with the window that accepts none. 0
   * requests read all counts. Never rejects.
   */
  add(counters: readonly Counter[], requests: number): Promise<WindowCount[]>;
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
  { used, msLeft }: { readonly used: number; readonly msLeft: number },
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

  async function addTo({ subject, policy }: Counter, requests: number): Promise<WindowCount> {
    const { limit, windowMs } = policy;
    const at = clock.steady();
    const index = Math.floor(at / windowMs);
    const msLeft = (index + 1) * windowMs - at;
    const { limiter, subjects } = windowAt(index, policy);
    if (requests === 0) return { before: (await limiter.get(subject))?.consumedPoints ?? 0, msLeft };
    const { consumedPoints } = await limiter.penalty(subject, requests);
    subjects.add(subject);
    const [earliest] = subjects;
    if (subjects.size > maxSubjects && earliest !== undefined) {
      subjects.delete(earliest);
      await limiter.delete(earliest);
    }
    const beyond = Math.min(requests, consumedPoints - limit);
    if (beyond > 0) await limiter.reward(subject, beyond);
    return { before: consumedPoints - requests, msLeft };
  }

  return {
    async add(counters, requests) {
      const counts: WindowCount[] = [];
      let accepted = requests;
      for (const counter of counters) {
        const count = await addTo(counter, accepted);
        counts.push(count);
        accepted = acceptedBy(counter, count, accepted);
        if (requests > 0 && accepted === 0) break;
      }
      return counts;
    },
  };
}

/** How many of the requests a window accepts. */
const acceptedBy = ({ policy }: Counter, { before }: WindowCount, requests: number): number =>
  Math.max(0, Math.min(requests, policy.limit - before));

/**
 * Counts in all windows of a request with one command. The library has one command for each window, which begins with its
 * first request; these windows are aligned to the clock of Redis.
 *
 * KEYS: the windows. ARGV: requests, then the length in milliseconds and the limit of each window. Returns what each window
 * had counted before, and its milliseconds left, up to the window that accepts none.
 */
const COUNT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local requests = tonumber(ARGV[1])
local accepted, reply = requests, {}
for i, key in ipairs(KEYS) do
  local length, limit = tonumber(ARGV[2 * i]), tonumber(ARGV[2 * i + 1])
  local left = length - now % length
  local before = tonumber(redis.call('GET', key) or '0')
  reply[#reply + 1] = before
  reply[#reply + 1] = left
  accepted = math.max(0, math.min(accepted, limit - before))
  if accepted > 0 then
    redis.call('INCRBY', key, accepted)
    redis.call('PEXPIRE', key, string.format('%d', left))
  elseif requests > 0 then
    break
  end
end
return reply
`;

/** Counts in Redis with all processes, or in `local` while Redis is unavailable. */
export function redisWindows(store: LimitStore, local: RateWindows): RateWindows {
  store.client.defineCommand('linernotesCount', { lua: COUNT });
  return {
    async add(counters, requests) {
      const keys = counters.map(({ subject }) => store.keyOf('window', subject));
      const limits = counters.flatMap(({ policy: { windowMs, limit } }) => [windowMs, limit]);
      try {
        const reply = await store.client.linernotesCount(keys.length, ...keys, requests, ...limits);
        return Array.from({ length: reply.length / 2 }, (_, index) => ({
          before: reply[2 * index] ?? 0,
          msLeft: reply[2 * index + 1] ?? 0,
        }));
      } catch {
        return local.add(counters, requests);
      }
    },
  };
}
