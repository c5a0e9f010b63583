import pg from 'pg';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { withDatabase } from '../../../test/support/services/database.ts';
import { type KeyUse, recordKeyUse } from './key-use.ts';
import { issueKey, listKeys } from './keys.ts';

const { pool } = withDatabase();
const EVERY_MS = 60_000;
const log = pino({ level: 'silent' });
let now = Date.UTC(2026, 0, 1);
const opened: KeyUse[] = [];

beforeEach(async () => {
  await pool.query('truncate access.api_key');
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  for (const use of opened.splice(0)) await use.stop();
});

function open(changed: { everyMs?: number } = {}): KeyUse {
  const use = recordKeyUse(pool, { log, now: () => now, everyMs: EVERY_MS, ...changed });
  opened.push(use);
  return use;
}

const issue = async (): Promise<string> =>
  (await issueKey(pool, { environment: 'live', label: 'a', tier: 'standard', expiresAt: null })).id;

const lastUses = async () => new Map((await listKeys(pool)).map(({ id, lastUsedAt }) => [id, lastUsedAt]));

it('writes the last use of every key in one statement, and nothing without a use', async () => {
  const [first, second, unused] = [await issue(), await issue(), await issue()];
  const use = open();
  const statements = vi.spyOn(pg.Client.prototype, 'query');
  await use.flush();
  expect(statements).not.toHaveBeenCalled();
  use.record(first);
  now += 1_000;
  for (const id of [second, first, 'never issued']) use.record(id);
  expect(statements).not.toHaveBeenCalled();
  await use.flush();
  expect(statements).toHaveBeenCalledTimes(1);
  await use.flush();
  expect(statements).toHaveBeenCalledTimes(1);
  statements.mockRestore();
  expect(await lastUses()).toEqual(
    new Map([
      [first, new Date(now)],
      [second, new Date(now)],
      [unused, null],
    ]),
  );
});

it('never moves a use back, whichever process writes last', async () => {
  const id = await issue();
  const [early, late] = [open(), open()];
  early.record(id);
  now += 5_000;
  late.record(id);
  await late.flush();
  await early.flush();
  expect((await lastUses()).get(id)).toEqual(new Date(now));
});

it('keeps uses after a failed write and writes the newest later', async () => {
  const [id, other] = [await issue(), await issue()];
  const use = open();
  use.record(id);
  use.record(other);
  const firstUse = new Date(now);
  vi.spyOn(pool, 'query').mockImplementationOnce(() => Promise.reject(new Error('away')) as never);
  const failing = use.flush();
  now += 1_000;
  use.record(id);
  await failing;
  expect((await lastUses()).get(id)).toBeNull();
  await use.flush();
  expect(await lastUses()).toEqual(
    new Map([
      [id, new Date(now)],
      [other, firstUse],
    ]),
  );
});

it('writes once a minute, and the rest when stopped', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const id = await issue();
  const use = open();
  use.record(id);
  vi.advanceTimersByTime(EVERY_MS - 1);
  expect((await lastUses()).get(id)).toBeNull();
  vi.advanceTimersByTime(1);
  await expect.poll(async () => (await lastUses()).get(id)).toEqual(new Date(now));
  now += 1_000;
  use.record(id);
  await use.stop();
  expect((await lastUses()).get(id)).toEqual(new Date(now));
  vi.advanceTimersByTime(10 * EVERY_MS);
});

it('does not deadlock with another process that writes the same keys', async () => {
  const ids = await Promise.all(Array.from({ length: 50 }, issue));
  const users = [open(), open(), open()];
  for (let round = 0; round < 10; round++) {
    now += 1_000;
    for (const [at, use] of users.entries())
      for (const id of at % 2 === 0 ? ids : ids.toReversed()) use.record(id);
    await Promise.all(users.map((use) => use.flush()));
  }
  const uses = await lastUses();
  expect([...new Set([...uses.values()].map((at) => at?.getTime()))]).toEqual([now]);
});
