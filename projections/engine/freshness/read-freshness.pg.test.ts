import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../../../db/connect.ts';
import { transaction } from '../../../db/transaction.ts';
import { rebuild } from '../../../test/support/projections/rebuild.ts';
import { servedVersion } from '../../../test/support/projections/served-version.ts';
import { withDatabase } from '../../../test/support/services/database.ts';
import { artistMomentum } from '../../contracts/seen/artist-momentum.ts';
import { projections } from '../../index.ts';
import { artistProjection } from '../../models/artist/project.ts';
import { type Registry, registerSources } from '../registry.ts';
import { markDirty } from '../store/mark.ts';
import { liveVersion } from '../store/version.ts';
import { readBacklog } from './backlog.ts';
import { freshnessMetrics } from './freshness-metrics.ts';
import { readFreshness } from './read-freshness.ts';

const { pool, url } = withDatabase();
let registry: Registry;
const NOW = Date.now();

beforeAll(async () => {
  registry = await registerSources(pool);
  for (const projection of projections) await rebuild(pool, projection, registry);
});
afterEach(async () => {
  await pool.query(`
    delete from projection.mark;
    delete from ingest.dead_letter;
    delete from ingest.connector;
    delete from ingest.lag_peak;
    delete from ingest.position;
    update ingest.source set newest_change_at = null, connector = null, connector_lag_ms = null,
      kafka_lag_ms = null, apply_lag_ms = null, lag_since = null`);
});

/** Marks documents of the live version dirty since `seconds` ago. */
async function mark(projection: string, count: number, seconds: number): Promise<void> {
  const version = await servedVersion(pool, projection);
  const keys = new Set(Array.from({ length: count }, (_, at) => `artist:${at}` as const));
  const since = new Date(Date.now() - seconds * 1000);
  await transaction(pool, (client) => markDirty(client, [{ versions: [version], keys }], () => since));
}

/** A connector whose heartbeats come every ten seconds. */
const heartbeat = (connector: string, msAgo: number): Promise<unknown> =>
  pool.query('insert into ingest.connector (name, newest_heartbeat_at, interval_ms) values ($1, $2, 10000)', [
    connector,
    new Date(NOW - msAgo),
  ]);

/** The values of one metric by its labels. */
const valuesOf = (text: string, name: string): Record<string, number> =>
  Object.fromEntries(
    text
      .split('\n')
      .filter((line) => line.startsWith(`linernotes_${name}`) && !line.startsWith('#'))
      .map((line) => [
        line.slice(`linernotes_${name}`.length, line.lastIndexOf(' ')),
        Number(line.split(' ').at(-1)),
      ]),
  );

describe('freshness', () => {
  it('is read from the database for each source', async () => {
    await pool.query(
      `update ingest.source set newest_change_at = $2, connector = 'producers', connector_lag_ms = 1500,
         kafka_lag_ms = 250, apply_lag_ms = 40, lag_since = now() where id = $1`,
      [registry.idOf(artistMomentum), new Date(NOW - 5 * 86_400_000)],
    );
    await heartbeat('producers', 1_000);
    const report = await readFreshness(pool, projections, NOW);
    expect(report).toMatchObject({ state: 'fresh', replicaLagSeconds: null });
    expect(report.sources.find(({ source }) => source === artistMomentum.table)).toMatchObject({
      state: 'fresh',
      activity: 'quiet',
      asOf: new Date(NOW - 1_000),
      changedAt: new Date(NOW - 5 * 86_400_000),
      heartbeatAt: new Date(NOW - 1_000),
      lagSeconds: { connector: 1.5, kafka: 0.25, apply: 0.04, project: 0 },
    });
  });

  describe('and its lag', () => {
    const lags = async () => {
      const { sources } = await readFreshness(pool, projections, NOW);
      const found = sources.find(({ source }) => source === artistMomentum.table);
      const { project: _, ...now } = found?.lagSeconds ?? { project: null };
      return { now, peak: found?.peakLagSeconds };
    };
    const measure = (secondsAgo: number) =>
      pool.query(
        `update ingest.source set connector_lag_ms = 1500, kafka_lag_ms = 250, apply_lag_ms = 40,
           lag_since = now() - make_interval(secs => $2) where id = $1`,
        [registry.idOf(artistMomentum), secondsAgo],
      );
    const unread = (group: string, secondsAgo: number | null, movedSecondsAgo: number) =>
      pool.query(
        `insert into ingest.position (consumer_group, topic, partition, next_offset, unread_since, moved_at)
         values ($1, $2, 0, 5, now() - make_interval(secs => $3), now() - make_interval(secs => $4))`,
        [group, `eu.prod.${artistMomentum.table}`, secondsAgo, movedSecondsAgo],
      );

    it('is that of the last seconds, and returns to zero on a quiet table', async () => {
      expect((await lags()).now).toEqual({ connector: null, kafka: null, apply: null });
      await measure(1);
      expect((await lags()).now).toEqual({ connector: 1.5, kafka: 0.25, apply: 0.04 });
      await measure(21);
      expect((await lags()).now).toEqual({ connector: 0, kafka: 0, apply: 0 });
    });

    it('grows while a record waits, even if no worker measures it', async () => {
      await measure(600);
      await unread('g', 300, 310);
      const { now } = await lags();
      expect(now).toMatchObject({ connector: 0, apply: 0 });
      expect((now as { kafka: number }).kafka).toBeGreaterThanOrEqual(300);
      // The group that read the topic before does not count.
      await unread('h', null, 100);
      expect((await lags()).now).toEqual({ connector: 0, kafka: 0, apply: 0 });
    });

    it('stands beside the peak of the last hour', async () => {
      expect((await lags()).peak).toEqual({ connector: null, kafka: null, apply: null });
      await pool.query(
        `insert into ingest.lag_peak (source, slot, since, connector_ms, kafka_ms, apply_ms)
         values ($1, 0, now() - interval '3 hours', 9000, 9000, 9000), ($1, 1, now() - interval '50 minutes', 10, 7000, 30),
           ($1, 2, now(), 20, 50, 10)`,
        [registry.idOf(artistMomentum)],
      );
      expect((await lags()).peak).toEqual({ connector: 0.02, kafka: 7, apply: 0.03 });
      const text = await freshnessMetrics(pool, projections).metrics();
      const peak = valuesOf(text, 'source_lag_peak_seconds');
      expect(peak[`{source="${artistMomentum.table}",stage="kafka"}`]).toBe(7);
    });
  });

  it('of a projection is the age of its oldest dirty mark', async () => {
    await mark('artist', 40, 3);
    await mark('artist', 300, 70);
    await mark('artist', 40, 1);
    const { projections: all, state } = await readFreshness(pool, projections, NOW);
    const artist = all.find(({ projection }) => projection === 'artist');
    expect(artist?.state).toBe('warn');
    expect(artist?.lagSeconds).toBeGreaterThanOrEqual(70);
    expect(artist?.lagSeconds).toBeLessThan(80);
    expect(artist?.asOf).toEqual(new Date(NOW - (artist?.lagSeconds ?? 0) * 1000));
    expect(all.find(({ projection }) => projection === 'label')).toMatchObject({
      state: 'fresh',
      lagSeconds: 0,
    });
    expect(state).toBe('warn');
  });

  it('is unknown for a projection that is not served', async () => {
    const version = await liveVersion(pool, 'label');
    await pool.query(`update projection.version set state = 'ready' where id = $1`, [version?.id]);
    try {
      const { projections: all } = await readFreshness(pool, projections, NOW);
      expect(all.find(({ projection }) => projection === 'label')).toMatchObject({
        state: 'unknown',
        asOf: null,
        lagSeconds: null,
      });
    } finally {
      await pool.query(`update projection.version set state = 'live' where id = $1`, [version?.id]);
    }
  });
});

describe('the backlog', () => {
  it('counts dirty documents by version, and open dead letters by source', async () => {
    await mark('artist', 70, 0);
    await pool.query(
      `insert into ingest.dead_letter (source, topic, partition, record_offset, headers, violations, class, state, settled_at)
       select $1::int2, 't', 0, at, '{}'::json, '[]'::jsonb, 'contract', case at when 3 then 'discarded' else 'open' end,
         case at when 3 then now() end
       from generate_series(1, 3) at
       union all select null, 'u', 0, 1, '{}'::json, '[]'::jsonb, 'unknown-source', 'open', null`,
      [registry.idOf(artistMomentum)],
    );
    const { versions, deadLetters } = await readBacklog(pool);
    expect(versions.map(({ projection, state, marks }) => [projection, state, marks])).toEqual(
      projections.map(({ name }) => [name, 'live', name === 'artist' ? 70 : 0]),
    );
    expect(Object.fromEntries(deadLetters)).toEqual({ [artistMomentum.table]: 2, null: 1 });
  });
});

describe('metrics of freshness', () => {
  it('report known values and omit unknown ones', async () => {
    await pool.query(
      `update ingest.source set newest_change_at = now() - interval '5 days', kafka_lag_ms = 250, lag_since = now()
       where id = $1`,
      [registry.idOf(artistMomentum)],
    );
    await mark('artist', 3, 0);
    const text = await freshnessMetrics(pool, projections).metrics();
    expect(valuesOf(text, 'freshness_up')).toEqual({ '': 1 });
    const source = `source="${artistMomentum.table}"`;
    expect(valuesOf(text, 'source_state')).toMatchObject({
      [`{${source},state="fresh"}`]: 0,
      [`{${source},state="error"}`]: 1,
      '{source="seen.festival",state="unknown"}': 1,
    });
    const ages = valuesOf(text, 'source_age_seconds');
    expect(Object.keys(ages)).toEqual([`{${source}}`]);
    expect(ages[`{${source}}`]).toBeGreaterThan(5 * 86_400 - 60);
    const lags = valuesOf(text, 'source_lag_seconds');
    expect(lags[`{${source},stage="kafka"}`]).toBe(0.25);
    expect(lags[`{${source},stage="connector"}`]).toBeUndefined();
    expect(valuesOf(text, 'marks')['{projection="artist",state="live"}']).toBe(3);
    expect(valuesOf(text, 'projection_state')[`{projection="artist",state="fresh"}`]).toBe(1);
    expect(text).not.toContain('replica_lag_seconds');
  });

  it('report each connector that feeds a source', async () => {
    await pool.query(`update ingest.source set connector = 'producers' where id = $1`, [
      registry.idOf(artistMomentum),
    ]);
    await heartbeat('producers', 3_600_000);
    await heartbeat('feeds.nothing', 3_600_000);
    const text = await freshnessMetrics(pool, projections).metrics();
    expect(valuesOf(text, 'connector_state')).toEqual({
      '{connector="producers",state="alive"}': 0,
      '{connector="producers",state="silent"}': 0,
      '{connector="producers",state="dead"}': 1,
      '{connector="producers",state="unknown"}': 0,
    });
    expect(valuesOf(text, 'connector_heartbeat_interval_seconds')).toEqual({ '{connector="producers"}': 10 });
    expect(valuesOf(text, 'connector_heartbeat_age_seconds')['{connector="producers"}']).toBeGreaterThan(
      3_590,
    );
    expect(valuesOf(text, 'source_state')[`{source="${artistMomentum.table}",state="error"}`]).toBe(1);
  });

  it('are absent while the database is unavailable, except the one that reports it', async () => {
    const gone = connect(url, 'gone');
    const metrics = freshnessMetrics(gone, projections);
    expect(await metrics.metrics()).toContain('linernotes_projection_state');
    await gone.end();
    const text = await metrics.metrics();
    expect(valuesOf(text, '')).toEqual({ freshness_up: 0 });
  });
});

it('counts a source once if several facets read it', async () => {
  const { projections: all } = await readFreshness(pool, projections, NOW);
  const tables = new Set(artistProjection.reads.map(({ source }) => source.table));
  const counts = all.find(({ projection }) => projection === 'artist')?.sources;
  expect(counts).toEqual({ fresh: 0, warn: 0, error: 0, unknown: tables.size });
});
