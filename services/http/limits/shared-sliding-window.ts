import type { Result } from 'ioredis';
import type { LimitStore } from './limit-store.ts';
import type { RateLimitState } from './policy.ts';
import type { SlidingWindow, SlidingWindowOptions } from './sliding-window.ts';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    linernotesSlide(keys: number, ...keysAndValues: (string | number)[]): Result<number[], Context>;
  }
}

/**
 * Counts a visit of a network and, with a second key, of its site; counts neither if one of them is full.
 *
 * ARGV: the length of the window in milliseconds, and the limit of each key. Returns the time in milliseconds, whether the
 * visit was counted, and for each key the visits before it and the time of the first of them.
 */
const SLIDE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local length = tonumber(ARGV[1])
local reply, isAllowed = { now, 1 }, true

for i, key in ipairs(KEYS) do
  local first = redis.call('LINDEX', key, 0)
  while first and tonumber(first) <= now - length do
    redis.call('LPOP', key)
    first = redis.call('LINDEX', key, 0)
  end
  local count = redis.call('LLEN', key)
  if count >= tonumber(ARGV[i + 1]) then isAllowed = false end
  reply[#reply + 1] = count
  reply[#reply + 1] = tonumber(first or now)
end
if not isAllowed then
  reply[2] = 0
  return reply
end
for _, key in ipairs(KEYS) do
  redis.call('RPUSH', key, string.format('%d', now))
  redis.call('PEXPIRE', key, length)
end
return reply
`;

/** Counts for all processes that share the store, by the clock of Redis. Rejects while Redis is unavailable. */
export function sharedSlidingWindow(
  store: LimitStore,
  { limit, siteLimit, windowMs }: SlidingWindowOptions,
): SlidingWindow {
  store.client.defineCommand('linernotesSlide', { lua: SLIDE });
  return {
    async take({ network, site }) {
      const keys = [
        store.keyOf('preview', network),
        ...(site === null ? [] : [store.keyOf('preview', site)]),
      ];
      const reply = await store.client.linernotesSlide(keys.length, ...keys, windowMs, limit, siteLimit);
      const [now = 0, isCounted = 0, count = 0, first = 0, siteCount = 0, siteFirst = 0] = reply;
      const stateOf = (most: number, before: number, firstAt: number): RateLimitState => {
        const freedAt = firstAt + windowMs;
        return {
          isAllowed: isCounted === 1,
          limit: most,
          remaining: Math.max(0, most - before - isCounted),
          resetAt: Math.ceil(freedAt / 1_000),
          retryAfterSeconds: Math.max(1, Math.ceil((freedAt - now) / 1_000)),
        };
      };
      const own = stateOf(limit, count, first);
      if (site === null || (isCounted === 0 && count >= limit)) return own;
      const ofSite = stateOf(siteLimit, siteCount, siteFirst);
      return isCounted === 0 || ofSite.remaining < own.remaining ? ofSite : own;
    },
  };
}
