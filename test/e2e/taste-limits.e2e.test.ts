import { Redis } from 'ioredis';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, expect, inject, it } from 'vitest';
import { type LimitStore, openLimitStore } from '../../services/http/limits/limit-store.ts';
import { startTasteService } from '../../services/taste/server.ts';
import { pollUntil } from '../support/poll.ts';
import { withDatabase } from '../support/services/database.ts';
import { uniquePrefix } from '../support/services/kafka.ts';
import { clearTaste, countRows, submitConnect, TASTE_SECRET, tasteApp } from '../support/taste/app.ts';
import { testContract } from '../support/taste/contract.ts';

const { pool, url } = withDatabase();
const log = pino({ level: 'silent' });
/** A window that no test sees the end of. */
const AGE_MS = 1e12;
const prefix = uniquePrefix();
const stores: LimitStore[] = [];
let redis: Redis;

beforeAll(() => {
  redis = new Redis(inject('redisUrl'));
});
afterEach(() => clearTaste(pool));
afterAll(async () => {
  for (const store of stores) store.stop();
  await redis.quit();
});

/** An app with a connection of its own, as another process would have. */
async function open(limits: { requestsPerMinute?: number; consentsPerMinute?: number }) {
  const limitStore = await openLimitStore({ url: inject('redisUrl'), prefix, replyMs: 20_000, log });
  stores.push(limitStore);
  await pollUntil(() => limitStore.isUp());
  return tasteApp(pool, { ...limits, limitStore, windowMs: AGE_MS });
}

it('two processes on one Redis share the limits of requests and of consents', async () => {
  const consents = [await open({ consentsPerMinute: 3 }), await open({ consentsPerMinute: 3 })];
  const statuses: number[] = [];
  for (const app of [...consents, ...consents]) statuses.push((await submitConnect(app)).statusCode);
  expect(statuses).toEqual([302, 302, 302, 429]);
  expect((await countRows(pool)).consent).toBe(3);

  // Each submission above counted two requests.
  const requests = [await open({ requestsPerMinute: 12 }), await open({ requestsPerMinute: 12 })];
  const responses = await Promise.all(
    Array.from({ length: 10 }, (_, at) => requests[at % 2]?.inject('/connect/status')),
  );
  expect(responses.filter((response) => response?.statusCode === 200)).toHaveLength(4);
  expect(responses.filter((response) => response?.statusCode === 429)).toHaveLength(6);
  for (const app of [...consents, ...requests]) await app.close();
});

it('a service counts in the Redis of its settings', async () => {
  const own = uniquePrefix();
  const service = await startTasteService({
    databaseUrl: url,
    port: 0,
    secret: TASTE_SECRET,
    contract: testContract,
    redis: { url: inject('redisUrl'), prefix: own },
    log,
  });
  try {
    const isCounted = async () => {
      expect((await fetch(`${service.url}/connect/status`)).status).toBe(200);
      return (await redis.keys(`*${own}*taste-requests*`)).length > 0;
    };
    await pollUntil(isCounted);
  } finally {
    await service.stop();
  }
});
