import { afterAll, beforeAll, expect, it } from 'vitest';
import { withDatabase } from '../test/support/services/database.ts';
import { listenOn } from '../test/support/services/notifications.ts';
import { connect } from './connect.ts';
import { notify } from './notify.ts';

const { pool, url } = withDatabase('empty');
const channel = 'test.news';
const received: number[] = [];
let listener: Awaited<ReturnType<typeof listenOn>>;

beforeAll(async () => {
  listener = await listenOn(pool, channel, () => received.push(performance.now()));
});
afterAll(() => listener.stop());

it('sends one notification for calls in quick succession, and one after the last of them', async () => {
  const first = notify(pool, channel);
  const calls = Array.from({ length: 50 }, () => notify(pool, channel));
  const calledAt = performance.now();
  await Promise.all([first, ...calls]);
  await expect.poll(() => received.length).toBe(2);
  expect(received[1]).toBeGreaterThan(calledAt);
  await notify(pool, channel);
  await expect.poll(() => received.length).toBe(3);
});

it('does not fail when the database cannot be reached', async () => {
  const closed = connect(url, 'test');
  await closed.end();
  await notify(closed, channel);
  await notify(closed, channel);
});
