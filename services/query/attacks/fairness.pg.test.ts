import { expect, it } from 'vitest';
import { keyHeader } from '../../../test/support/query/app.ts';
import { withQueryService } from '../../../test/support/query/service.ts';
import { openInFlight } from '../../http/in-flight.ts';
import { anyLoad } from '../../http/load-limit.ts';
import type { QueryParts } from '../parts.ts';

const service = withQueryService();

/** An app with a route that responds when the test lets it. */
async function withPendingRoute(changed: Partial<QueryParts>) {
  const all = openInFlight();
  const app = await service.open({ ...changed, inFlight: all });
  const pending: { readonly name: string; readonly respond: () => void }[] = [];
  app.get<{ Querystring: { name: string } }>('/api/v2/pending', ({ query: { name } }) => {
    const one = Promise.withResolvers<string>();
    pending.push({ name, respond: () => one.resolve(name) });
    return one.promise;
  });
  const openEnd = Promise.withResolvers<string>();
  app.get('/api/v2/open', { config: { isPublic: true } }, () => openEnd.promise);
  const ask = async (name: string, headers: Readonly<Record<string, string>>) =>
    (await app.inject({ url: `/api/v2/pending?name=${name}`, headers })).statusCode;
  const other = await keyHeader(service.pool);
  // Each key is verified once, and then known.
  for (const headers of [service.key(), other]) await app.inject({ url: '/api/v2/usage', headers });
  const askOften = (count: number) =>
    Array.from({ length: count }, (_, index) => ask(`a${index}`, service.key()));
  const names = () => pending.map(({ name }) => name);
  return { app, all, pending, ask, askOften, other, names, openEnd };
}

it('the request of another key begins next, however many of the first key wait', async () => {
  const { all, pending, ask, askOften, other, names } = await withPendingRoute({ workCapacity: 2 });
  const first = askOften(50);
  await expect.poll(all.count).toBe(50);
  const next = ask('b', other);
  await expect.poll(all.count).toBe(51);
  for (let ended = 0; !names().includes('b'); ended++) pending[ended]?.respond();
  expect(pending.length).toBeLessThanOrEqual(5);
  for (const { respond } of pending) respond();
  expect(await next).toBe(200);
  for (let ended = 0; ended <= 50; ended++) {
    await expect.poll(() => pending.length).toBeGreaterThan(ended);
    pending[ended]?.respond();
  }
  expect(await Promise.all(first)).toEqual(Array.from({ length: 50 }, () => 200));
});

it('under overload the key with most in flight is shed, and not the other one', async () => {
  const load = { ...anyLoad, admits: (inFlight: number) => inFlight < 10 };
  const { all, pending, ask, askOften, other, names } = await withPendingRoute({ workCapacity: 2, load });
  const first = askOften(10);
  await expect.poll(all.count).toBe(10);
  expect(await ask('a10', service.key())).toBe(503);
  const next = ask('b', other);
  await expect.poll(async () => Promise.race([first[9], 'waits'])).toBe(503);
  pending[0]?.respond();
  pending[1]?.respond();
  await expect.poll(names).toContain('b');
  for (let ended = 0; ended < 10; ended++) {
    await expect.poll(() => pending.length).toBeGreaterThan(ended);
    pending[ended]?.respond();
  }
  expect(await next).toBe(200);
  expect(await Promise.all(first)).toEqual([...Array.from({ length: 9 }, () => 200), 503]);
});

it('requests without a key, from however many addresses, leave half of the limit to keys', async () => {
  let most = 10;
  let now = Date.now();
  const load = { ...anyLoad, admits: (inFlight: number) => inFlight < most };
  const { app, all, pending, ask, other, openEnd } = await withPendingRoute({ load, now: () => now });
  const open = Array.from({ length: 5 }, (_, index) =>
    app.inject({ url: '/api/v2/open', remoteAddress: `192.0.2.${index}` }),
  );
  await expect.poll(all.count).toBe(5);
  const askOpen = async () =>
    (await app.inject({ url: '/api/v2/open', remoteAddress: '192.0.3.1' })).statusCode;
  expect(await askOpen()).toBe(503);
  // Both keys are to be confirmed again.
  now += 60_000;
  const keyed = Array.from({ length: 5 }, () => ask('a', service.key()));
  await expect.poll(() => pending).toHaveLength(5);
  // As when the limit falls under load.
  most = 4;
  expect(await ask('b', other)).toBe(503);
  for (const { respond } of pending) respond();
  expect(await Promise.all(keyed)).toEqual([200, 200, 200, 200, 200]);
  const next = ask('b', other);
  await expect.poll(() => pending).toHaveLength(6);
  pending[5]?.respond();
  expect(await next).toBe(200);
  openEnd.resolve('open');
  for (const response of await Promise.all(open)) expect(response.statusCode).toBe(200);
});

it('a request that waits for a change holds no slot of the work limit', async () => {
  let most = 20;
  const load = { ...anyLoad, admits: (working: number) => working < most };
  const { app, all, other } = await withPendingRoute({ workCapacity: 2, load });
  const headers = {
    ...service.key(),
    'x-linernotes-at-least': 'nowhere.seen.festival:0:1',
    'x-linernotes-wait': '10',
  };
  const gone = new AbortController();
  const waiting = Array.from({ length: 20 }, () =>
    app.inject({ url: '/api/v2/artists', headers, signal: gone.signal }).catch(() => null),
  );
  await expect.poll(() => [all.count(), all.working()]).toEqual([20, 0]);
  most = 1;
  const response = await app.inject({ url: '/api/v2/artists', headers: other });
  expect([response.statusCode, all.count()]).toEqual([200, 20]);
  gone.abort();
  await Promise.all(waiting);
});
