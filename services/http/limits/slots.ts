import { randomUUID } from 'node:crypto';
import type { Result } from 'ioredis';
import type { LimitStore } from './limit-store.ts';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    linernotesSlots(key: string, ...values: (string | number)[]): Result<[number, number], Context>;
  }
}

/** Something that a request gives back when it ends. */
export interface Releasable {
  release(): void;
}

/** The concurrency slots of keys: each in-flight request of a key holds one. Never rejects. */
export interface ConcurrencySlots {
  /** Acquires slots for so many requests, or for the first of them; the key may hold `limit`, or any number if it is null. */
  acquire(key: string, requests: number, limit: number | null): number | Promise<number>;
  release(key: string, limit: number | null): void;
  taken(key: string, limit: number | null): number | Promise<number>;
}

const clamp = (requests: number, free: number): number => Math.max(0, Math.min(requests, free));

/** The slots that this process holds, by key. */
function slotCounts() {
  const counts = new Map<string, number>();
  const get = (key: string): number => counts.get(key) ?? 0;
  return {
    get,
    add(key: string, slots: number): void {
      const left = get(key) + slots;
      if (left > 0) counts.set(key, left);
      else counts.delete(key);
    },
  };
}

export function localSlots(): ConcurrencySlots {
  const held = slotCounts();
  return {
    acquire(key, requests, limit) {
      const granted = limit === null ? requests : clamp(requests, limit - held.get(key));
      held.add(key, granted);
      return granted;
    },
    release: (key) => held.add(key, -1),
    taken: held.get,
  };
}

/**
 * Acquires slots of one key for one process. Every process writes how many slots it holds, never a difference, so the next
 * write corrects a lost one. Slots of a process that ended without a release expire.
 *
 * KEYS: the slots of the key. ARGV: the process, the lease in milliseconds, the requests, the slots that the process holds
 * with them, the limit. Returns the granted slots, and the slots that all processes hold then.
 */
const ACQUIRE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local process, lease, requests, limit = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[5])
local own, others = ARGV[4] - requests, 0
local held = redis.call('HGETALL', KEYS[1])
for i = 1, #held, 2 do
  if held[i] ~= process then
    local count, till = string.match(held[i + 1], '^(%d+):(%d+)$')
    if tonumber(till) > now then
      others = others + tonumber(count)
    else
      redis.call('HDEL', KEYS[1], held[i])
    end
  end
end
local granted = math.max(0, math.min(requests, limit - others - own))
own = own + granted
if own > 0 then
  redis.call('HSET', KEYS[1], process, string.format('%d:%d', own, now + lease))
  redis.call('PEXPIRE', KEYS[1], lease)
else
  redis.call('HDEL', KEYS[1], process)
end
return { granted, others + own }
`;

/** Longer than any request lasts. */
const LEASE_MS = 20_000;
/** Released slots are reported within this time. */
const REPORT_MS = 5;

/** Shares the slots of limited keys in Redis. While Redis is unavailable each process limits its own requests. */
export function sharedSlots(store: LimitStore): ConcurrencySlots {
  store.client.defineCommand('linernotesSlots', { numberOfKeys: 1, lua: ACQUIRE });
  const process = randomUUID();
  const held = slotCounts();
  const unreported = new Set<string>();

  const run = (key: string, requests: number, limit: number): Promise<[number, number]> => {
    unreported.delete(key);
    return store.client.linernotesSlots(
      store.keyOf('slots', key),
      process,
      LEASE_MS,
      requests,
      held.get(key),
      limit,
    );
  };
  const reportLater = (key: string): void => {
    if (unreported.size === 0) setTimeout(report, REPORT_MS).unref();
    unreported.add(key);
  };
  function report(): void {
    for (const key of unreported) run(key, 0, 0).catch(() => {});
  }

  return {
    async acquire(key, requests, limit) {
      const before = held.get(key);
      held.add(key, requests);
      if (limit === null) return requests;
      let granted: number;
      try {
        [granted] = await run(key, requests, limit);
      } catch {
        granted = clamp(requests, limit - before);
      }
      held.add(key, granted - requests);
      return granted;
    },
    release(key, limit) {
      held.add(key, -1);
      if (limit !== null && store.isUp()) reportLater(key);
    },
    async taken(key, limit) {
      if (limit === null) return held.get(key);
      return run(key, 0, limit).then(
        ([, taken]) => taken,
        () => held.get(key),
      );
    },
  };
}
