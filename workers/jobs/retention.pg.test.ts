import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { registerSources } from '../../projections/engine/registry.ts';
import { documentTable } from '../../projections/engine/store/version.ts';
import { projections } from '../../projections/index.ts';
import { withDatabase } from '../../test/support/services/database.ts';
import { lockWaiters } from '../../test/support/services/lock-waiters.ts';
import { buildVersion } from '../project/build-version.ts';
import { purgeTombstones, retention } from './retention.ts';

const { pool } = withDatabase();
const DAY_MS = 86_400_000;

beforeEach(() => pool.query(`insert into ingest.source (name) values ('test')`));
afterEach(() =>
  pool.query(
    'truncate ingest.mirror, ingest.position, ingest.dead_letter, ingest.source, telemetry.search_event',
  ),
);

const run = () =>
  retention.run(
    {
      pool,
      log: pino({ level: 'silent' }),
      signal: new AbortController().signal,
      resumed: false,
      progress: () => {},
    },
    {},
  );

/** Rows by key, each with its content and its age in days. */
async function fillMirror(rows: Readonly<Record<string, [row: string | null, days: number]>>): Promise<void> {
  await pool.query(
    `insert into ingest.mirror (source, key, subject, order_key, row, version, source_time, changed_time, applied_at)
     select source.id, filled.key, filled.key, '', filled.row, '1', now(), now(), now() - filled.days * interval '1 day'
     from ingest.source, unnest($1::text[], $2::text[], $3::float8[]) filled (key, row, days)`,
    [Object.keys(rows), Object.values(rows).map(([row]) => row), Object.values(rows).map(([, days]) => days)],
  );
}

async function mirrorKeys(): Promise<string[]> {
  const { rows } = await pool.query<{ key: string }>('select key from ingest.mirror order by key');
  return rows.map(({ key }) => key);
}

it('removes only tombstones older than thirty days', async () => {
  await fillMirror({
    'deleted long ago': [null, 30.01],
    'deleted lately': [null, 29.99],
    'deleted now': [null, 0],
    'untouched for years': ['{}', 900],
  });
  expect(await run()).toMatchObject({ tombstones: 1 });
  expect(await mirrorKeys()).toEqual(['deleted lately', 'deleted now', 'untouched for years']);
  expect(await run()).toMatchObject({ tombstones: 0 });
});

it('finds tombstones in every page of a table of several batches', async () => {
  // Rows of nearly a page each, so that few rows make many pages.
  await pool.query(
    `insert into ingest.mirror (source, key, subject, order_key, row, version, source_time, changed_time, applied_at)
     select source.id, 'row ' || n, 'row', repeat(md5(n::text), 60), case when n % 3 = 0 then '{}' end, '1', now(), now(),
       now() - interval '40 days'
     from ingest.source, generate_series(1, 9000) n`,
  );
  const { rows } = await pool.query<{ pages: number }>(
    `select (pg_relation_size('ingest.mirror') / 8192)::int as pages from ingest.source`,
  );
  expect(rows[0]?.pages).toBeGreaterThan(2 * 1024);
  expect(await run()).toMatchObject({ tombstones: 6000 });
  const left = await pool.query(`select count(*)::int as rows, count(row)::int as full from ingest.mirror`);
  expect(left.rows).toEqual([{ rows: 3000, full: 3000 }]);
});

it('keeps a row that is written again during the purge', async () => {
  await fillMirror({ returning: [null, 40], 'deleted long ago': [null, 40] });
  const writer = await pool.connect();
  await writer.query(
    `begin; update ingest.mirror set row = '{}', applied_at = now() where key = 'returning'`,
  );
  const purging = purgeTombstones(pool, new Date(Date.now() - 30 * DAY_MS), new AbortController().signal);
  await expect.poll(() => lockWaiters(pool)).toBe(1);
  await writer.query('commit');
  writer.release();
  expect(await purging).toBe(1);
  expect(await mirrorKeys()).toEqual(['returning']);
});

it('stops between two batches when aborted', async () => {
  await fillMirror({ 'deleted long ago': [null, 40] });
  await expect(
    purgeTombstones(pool, new Date(Date.now() - 30 * DAY_MS), AbortSignal.abort(new Error('aborted'))),
  ).rejects.toThrow('aborted');
  expect(await mirrorKeys()).toEqual(['deleted long ago']);
});

it('removes old positions in files, and keeps the newest of each', async () => {
  await pool.query(
    `insert into ingest.position (consumer_group, topic, partition, next_offset, moved_at)
     select consumer_group, topic, 0, 1, now() - days * interval '1 day'
     from (values
       ('snapshot', 'a.ndjson#1@1', 300), ('snapshot', 'a.ndjson#2@2', 200), ('snapshot', 'a.ndjson#3@3', 100),
       ('snapshot', 'b.ndjson#1@1', 400), ('snapshot', 'b.ndjson#1@1#epoch 1', 300), ('snapshot', 'c.ndjson#1@1', 89), ('snapshot', 'c.ndjson#2@2', 0),
       ('changes', 'a.ndjson#1@1', 500), ('linernotes-ingest', 'a.ndjson#1@1', 500)
     ) filled (consumer_group, topic, days)`,
  );
  expect(await run()).toMatchObject({ positions: 2 });
  const { rows } = await pool.query<{ place: string }>(
    `select consumer_group || ' ' || topic as place from ingest.position order by 1`,
  );
  expect(rows.map(({ place }) => place)).toEqual([
    'changes a.ndjson#1@1',
    'linernotes-ingest a.ndjson#1@1',
    'snapshot a.ndjson#3@3',
    'snapshot b.ndjson#1@1',
    'snapshot b.ndjson#1@1#epoch 1',
    'snapshot c.ndjson#1@1',
    'snapshot c.ndjson#2@2',
  ]);
});

it('removes dead letters settled ninety days ago, and keeps open ones of any age', async () => {
  await pool.query(
    `insert into ingest.dead_letter
       (topic, partition, record_offset, headers, violations, class, state, settled_at, recorded_at)
     select 'topic', 0, n, '{}', '[]', 'contract', state, now() - days * interval '1 day', now() - interval '1 year'
     from (values (1, 'discarded', 91), (2, 'replayed', 89), (3, 'open', null)) filled (n, state, days)`,
  );
  expect(await run()).toMatchObject({ deadLetters: 1 });
  const { rows } = await pool.query('select state from ingest.dead_letter order by record_offset');
  expect(rows).toEqual([{ state: 'replayed' }, { state: 'open' }]);
});

it('removes all search events older than ninety days', async () => {
  await pool.query(
    `insert into telemetry.search_event (search_event_id, kind, occurred_at, source, received_at)
     select gen_random_uuid(), 'observed', now(), 'memory', now() - interval '90 days' + n * interval '1 minute'
     from generate_series(-20_000, 2) n where n <> 0`,
  );
  expect(await run()).toMatchObject({ searchEvents: 20_000 });
  expect((await pool.query('select from telemetry.search_event')).rowCount).toBe(2);
});

it('removes a version that was replaced a week ago', async () => {
  const [projection] = projections;
  if (projection === undefined) throw new Error('there is no projection');
  const registry = await registerSources(pool);
  const fromScratch = { promote: true, fromScratch: true };
  const { version: first } = await buildVersion(pool, projection, registry, fromScratch);
  const { version: second } = await buildVersion(pool, projection, registry, fromScratch);
  expect(await run()).toMatchObject({ versions: 0 });
  await pool.query(
    `update projection.version set replaced_at = now() - interval '7 days 1 minute' where state = 'previous'`,
  );
  expect(await run()).toMatchObject({ versions: 1 });
  const { rows } = await pool.query('select id, state from projection.version');
  expect(rows).toEqual([{ id: second.id, state: 'live' }]);
  expect((await pool.query('select to_regclass($1) as found', [documentTable(first)])).rows).toEqual([
    { found: null },
  ]);
});
