import type { Result } from 'ioredis';
import type { LimitStore } from './limit-store.ts';
import type { RatePolicy } from './policy.ts';
import { bucketMs, type SlidingWindow, slidingDecision } from './sliding-window.ts';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    linernotesSlide(keys: number, ...keysAndValues: (string | number)[]): Result<number[], Context>;
  }
}

/**
 * Counts a request in all its networks, or in none if one of them is full. A key holds the requests of one network by the
 * end of their bucket.
 *
 * KEYS: the networks, the narrowest first. ARGV: for each the milliseconds of a bucket and of the window, and the limit.
 * Returns the time in milliseconds, then for each network, up to a full one, the count with this request and the milliseconds
 * until the earliest request leaves.
 */
const SLIDE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local reply, ends = { now }, {}

for i, key in ipairs(KEYS) do
  local bucket, length, limit = tonumber(ARGV[3 * i - 2]), tonumber(ARGV[3 * i - 1]), tonumber(ARGV[3 * i])
  ends[i] = math.ceil(now / bucket) * bucket
  local used, first = 1, ends[i]
  local counts = redis.call('HGETALL', key)
  for j = 1, #counts, 2 do
    local ended = tonumber(counts[j])
    if ended > now - length then
      used = used + tonumber(counts[j + 1])
      first = math.min(first, ended)
    else
      redis.call('HDEL', key, counts[j])
    end
  end
  reply[#reply + 1] = used
  reply[#reply + 1] = first + length - now
  if used > limit then return reply end
end
for i, key in ipairs(KEYS) do
  redis.call('HINCRBY', key, string.format('%d', ends[i]), 1)
  redis.call('PEXPIRE', key, string.format('%d', ends[i] + ARGV[3 * i - 1] - now))
end
return reply
`;

/** Counts for all processes that share the store, by the clock of Redis. Rejects while Redis is unavailable. */
export function sharedSlidingWindow(store: LimitStore, policies: readonly RatePolicy[]): SlidingWindow {
  store.client.defineCommand('linernotesSlide', { lua: SLIDE });
  const limits = policies.map((policy, level) => [bucketMs(policy, level), policy.windowMs, policy.limit]);
  return {
    async take(networks) {
      const keys = networks.map((network) => store.keyOf('previews', network));
      const values = limits.slice(0, keys.length).flat();
      const [now = 0, ...counts] = await store.client.linernotesSlide(keys.length, ...keys, ...values);
      const levels = Array.from({ length: counts.length / 2 }, (_, level) => ({
        used: counts[2 * level] ?? 0,
        msLeft: counts[2 * level + 1] ?? 0,
      }));
      return slidingDecision(policies, levels, now);
    },
  };
}
