import { join } from 'node:path';
import type { Pool } from 'pg';
import { afterAll, expect, it } from 'vitest';
import { SAMPLE } from '../support/ingest/mirror-state.ts';
import { withDatabase } from '../support/services/database.ts';
import type { FaultPoint } from './fault-point.ts';
import { type Running, startProcess } from './processes.ts';

const FILES = ['seen.radio_play_v1', 'seen.master_propagation_timeline_cluster', 'catalog.master'].map(
  (table) => join(SAMPLE, `${table}.ndjson.gz`),
);

/** Each load resumes where the one before was killed, so the kills move on through the files. */
const KILLS: readonly Omit<FaultPoint, 'signal'>[] = [
  { when: 'during', at: 'copy ingest.mirror', nth: 1 },
  { when: 'during', at: 'copy ingest.mirror', nth: 3 },
  { when: 'after', at: 'move-position', nth: 1 },
  { when: 'during', at: 'copy ingest.link', nth: 1 },
  { when: 'after', at: 'start-position', nth: 1 },
  { when: 'before', at: 'commit', nth: 1 },
  { when: 'after', at: 'commit', nth: 1 },
];

const undisturbed = withDatabase();
const killed = withDatabase();

const started: Running[] = [];

afterAll(() => {
  for (const running of started) running.signal('SIGKILL');
});

function load(url: string, kill?: Omit<FaultPoint, 'signal'>): Running {
  const fault: FaultPoint | null = kill === undefined ? null : { ...kill, signal: 'SIGKILL' };
  const args = ['load', ...FILES, '--as-of', '2026-08-01T00:00:00Z'];
  const running = startProcess('infra/ops/main.ts', { DATABASE_URL: url }, { fault, args });
  started.push(running);
  return running;
}

async function contentOf(pool: Pool): Promise<unknown> {
  const { rows } = await pool.query(
    `select name, count(*)::int4 as rows,
       md5(string_agg(concat_ws(' ', key, subject, order_key, row, version, source_time), '' order by key)) as content,
       (select count(*)::int4 from ingest.link where link.source = source.id) as links
     from ingest.mirror join ingest.source on source.id = source group by source.id, name order by name`,
  );
  return rows;
}

it(`resumes after each of ${KILLS.length} kills, and loads every row once`, async () => {
  const whole = load(undisturbed.url);
  expect([await whole.untilEnded(), whole.output()]).toEqual([0, expect.anything()]);
  const expected = await contentOf(undisturbed.pool);
  expect(expected).toHaveLength(FILES.length);

  for (const kill of KILLS) {
    const loading = load(killed.url, kill);
    expect([await loading.untilEnded(), loading.output()], JSON.stringify(kill)).toEqual([
      'SIGKILL',
      expect.anything(),
    ]);
  }
  const last = load(killed.url);
  expect([await last.untilEnded(), last.output()]).toEqual([0, expect.anything()]);
  expect(await contentOf(killed.pool)).toEqual(expected);
  expect((await killed.pool.query('select violations from ingest.dead_letter')).rows).toEqual([]);
}, 120_000);
