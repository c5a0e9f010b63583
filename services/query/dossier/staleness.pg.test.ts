import { pino } from 'pino';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { createWatchdog } from '../../../infra/runtime/watchdog.ts';
import { catalogLabel } from '../../../projections/contracts/catalog/label.ts';
import { artistMomentum } from '../../../projections/contracts/seen/artist-momentum.ts';
import { liveDemand } from '../../../projections/contracts/seen/live-demand.ts';
import { type Registry, registerSources } from '../../../projections/engine/registry.ts';
import { withDatabase } from '../../../test/support/services/database.ts';
import { type StalenessWatch, watchStaleness } from './staleness.ts';

const { pool } = withDatabase();
const log = pino({ level: 'silent' });
const POLL_MS = 3_000;
const DAY_MS = 86_400_000;

let registry: Registry;
let momentum: number;
let label: number;
let clock: number;
let loopClock: number;
let watch: StalenessWatch;
let watchdog: ReturnType<typeof createWatchdog>;

beforeAll(async () => {
  registry = await registerSources(pool);
  [momentum, label] = [registry.idOf(artistMomentum), registry.idOf(catalogLabel)];
});
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  clock = Date.now();
  loopClock = 0;
  watchdog = createWatchdog(() => loopClock);
  await pool.query('update ingest.source set newest_change_at = $1', [new Date(clock)]);
  watch = await watchStaleness(pool, registry, { log, watchdog, now: () => clock });
});
afterEach(() => {
  watch.stop();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const setChangedAt = (id: number, at: number): Promise<unknown> =>
  pool.query('update ingest.source set newest_change_at = $2 where id = $1', [id, new Date(at)]);

it('polling notices that a source became stale, whatever dossier reads it', async () => {
  const before = watch.current();
  expect([before.isStale(momentum), before.isStale(label)]).toEqual([false, false]);
  await setChangedAt(label, clock - 63 * DAY_MS);
  await vi.advanceTimersByTimeAsync(POLL_MS);
  await expect.poll(watch.current).not.toBe(before);
  const after = watch.current();
  expect([after.isStale(momentum), after.isStale(label)]).toEqual([false, true]);
  expect(after.tag).not.toBe(before.tag);
});

it('a dead connector makes its sources stale within a poll, and no others', async () => {
  await pool.query(`update ingest.source set connector = 'seen' where id = $1`, [momentum]);
  await pool.query(
    `insert into ingest.connector (name, newest_heartbeat_at, interval_ms) values ('seen', $1, 10000)`,
    [new Date(clock)],
  );
  const afterMs = async (ms: number) => {
    clock += ms;
    await vi.advanceTimersByTimeAsync(2 * POLL_MS);
    return [watch.current().isStale(momentum), watch.current().isStale(label)];
  };
  try {
    await vi.advanceTimersByTimeAsync(POLL_MS);
    await expect.poll(() => afterMs(1).then(() => watch.current().ids)).toBe('');
    await expect.poll(() => afterMs(20_000)).toEqual([true, false]);
    const { rows } = await pool.query('select newest_heartbeat_at as at from ingest.connector');
    expect(clock - rows[0].at.getTime()).toBeGreaterThan(100_000);
    await pool.query('update ingest.connector set newest_heartbeat_at = $1', [new Date(clock)]);
    await expect.poll(() => afterMs(0)).toEqual([false, false]);
  } finally {
    await pool.query('delete from ingest.connector; update ingest.source set connector = null');
  }
});

it('a dropped column of the contract makes its source stale, until its last values are cleared', async () => {
  const columns = ['max_sold_out_lead_days', 'not_in_the_contract'];
  const demand = registry.idOf(liveDemand);
  await pool.query(
    `insert into ingest.source_column (source, name, ordinal, first_seen_at, dropped_at)
     select $1, name, 0, now(), case when name = $3 then now() end from unnest($2::text[]) name`,
    [demand, columns, columns[1]],
  );
  const poll = async () => {
    await vi.advanceTimersByTimeAsync(2 * POLL_MS);
    return watch.current().isStale(demand);
  };
  try {
    expect(await poll()).toBe(false);
    await pool.query('update ingest.source_column set dropped_at = now()');
    await expect.poll(poll).toBe(true);
    expect(watch.current().isStale(label)).toBe(false);
    await pool.query('update ingest.source_column set cleared_at = now()');
    await expect.poll(poll).toBe(false);
  } finally {
    await pool.query('delete from ingest.source_column');
  }
});

it('an unchanged result stays the same object', async () => {
  const before = watch.current();
  const spy = vi.spyOn(pool, 'query');
  await vi.advanceTimersByTimeAsync(POLL_MS);
  await spy.mock.results[0]?.value;
  clock += 1_000;
  await vi.advanceTimersByTimeAsync(POLL_MS);
  expect(watch.current()).toBe(before);
});

it('while the database is unavailable, time alone makes sources stale', async () => {
  vi.spyOn(pool, 'query').mockImplementation(() => Promise.reject(new Error('lost')) as never);
  clock += 2 * DAY_MS;
  await vi.advanceTimersByTimeAsync(POLL_MS);
  expect(watch.current().isStale(momentum)).toBe(false);
  clock += 1;
  await vi.advanceTimersByTimeAsync(POLL_MS);
  expect(watch.current().isStale(momentum)).toBe(true);
  expect(watch.current().isStale(label)).toBe(false);
  clock += 60 * DAY_MS;
  await vi.advanceTimersByTimeAsync(POLL_MS);
  expect(watch.current().isStale(label)).toBe(true);
});

it('a failed poll counts as liveness, a hanging poll does not', async () => {
  const spy = vi.spyOn(pool, 'query').mockImplementation(() => Promise.reject(new Error('lost')) as never);
  loopClock = 60_001;
  await vi.advanceTimersByTimeAsync(POLL_MS);
  expect(watchdog.overdue()).toEqual([]);
  spy.mockImplementation(() => new Promise(() => {}) as never);
  loopClock += 60_000;
  await vi.advanceTimersByTimeAsync(POLL_MS);
  expect(watchdog.overdue()).toEqual([]);
  loopClock += 1;
  await vi.advanceTimersByTimeAsync(POLL_MS);
  expect(watchdog.overdue()).toMatchObject([{ what: 'staleness' }]);
  watch.stop();
  expect(watchdog.overdue()).toEqual([]);
});
