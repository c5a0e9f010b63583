import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../../../db/connect.ts';
import { clusterArrivalLedgerV1 } from '../../../projections/contracts/fleet/cluster-arrival-ledger-v1.ts';
import { clusterBreakEventV1 } from '../../../projections/contracts/fleet/cluster-break-event-v1.ts';
import { performingEntity } from '../../../projections/contracts/seen/performing-entity.ts';
import { radarOnlyArtistsV1 } from '../../../projections/contracts/seen/radar-only-artists-v1.ts';
import { spineArtistNamePublishedView } from '../../../projections/contracts/spine/spine-artist-name-published-view.ts';
import { auraIndex } from '../../../projections/models/aura/compute.ts';
import { fillMirror } from '../../../test/support/ingest/fill-mirror.ts';
import { withDiscovery } from '../../../test/support/query/discovery.ts';
import { rowsOf } from '../../../test/support/rows/source-rows.ts';
import { AuraBody, AuraListBody } from './aura.ts';

const DAY = '2019-06-30';
const ALPHA = 'a1'.repeat(32);
const BETA = 'b2'.repeat(32);
const GAMMA = 'c3'.repeat(32);
const DELTA = 'd4'.repeat(32);
const OMEGA = 'e5'.repeat(32);
const UNKNOWN = 'ab'.repeat(32);

const arrived = (cluster_id: string, dimension: string, first_arrived_at: string, latest_at: string) => ({
  cluster_id,
  dimension,
  first_arrived_at,
  latest_at,
});

/** Thirty artists that reached two dimensions long ago; three of them broke through in time. */
const past = Array.from({ length: 30 }, (_, number) => number.toString(16).padStart(64, '0'));

const discovery = withDiscovery((pool, registry) =>
  fillMirror(pool, registry, [
    rowsOf(
      clusterArrivalLedgerV1,
      arrived(ALPHA, 'booking', '2010-01-01', '2019-06-30'),
      arrived(ALPHA, 'radio', '2015-05-05', '2017-12-30'),
      arrived(ALPHA, 'press', '2016-01-01', '2017-12-29'),
      arrived(BETA, 'press', '2018-09-01', '2019-03-03'),
      arrived(BETA, 'radio', '2018-08-01', '2018-10-10'),
      arrived(BETA, 'djset', '2019-01-02', '2019-01-02'),
      arrived(GAMMA, 'press', '2019-01-01', '2019-06-01'),
      arrived(GAMMA, 'radio', '2019-02-02', '2019-07-01'),
      arrived(DELTA, 'press', '2018-09-09', '2019-06-01'),
      arrived(DELTA, 'booking', '2019-02-01', '2019-06-01'),
      arrived(OMEGA, 'press', '2018-12-12', '2019-06-01'),
      arrived(OMEGA, 'booking', '2019-02-01', '2019-06-01'),
      ...past.flatMap((cluster) => [
        arrived(cluster, 'press', '2009-01-01', '2011-01-01'),
        arrived(cluster, 'radio', '2010-01-01', '2011-01-01'),
      ]),
    ),
    rowsOf(
      clusterBreakEventV1,
      { cluster_id: BETA, break_event_at: DAY },
      { cluster_id: DELTA, break_event_at: '2019-07-01' },
      ...past.slice(0, 3).map((cluster_id) => ({ cluster_id, break_event_at: '2010-12-31' })),
    ),
    rowsOf(performingEntity, { cluster_id: ALPHA, name: 'Alpha', slug: 'alpha' }),
    rowsOf(spineArtistNamePublishedView, { cluster_id: BETA, display: 'Beta' }),
    rowsOf(radarOnlyArtistsV1, { cluster_id: DELTA, name: 'Delta' }),
  ]),
);
const { pool, publish, get, rejected } = discovery;

const alpha = {
  cluster_id: ALPHA,
  artist_name: 'Alpha',
  convergence_dim_count: 2,
  dimensions: ['booking', 'radio'],
  break_odds: 9.7,
  first_signal_at: '2010-01-01',
  latest_appearance_at: '2015-05-05',
  has_break_event: false,
  break_event_at: null,
};
const beta = {
  cluster_id: BETA,
  artist_name: 'Beta',
  convergence_dim_count: 3,
  dimensions: ['radio', 'press', 'djset'],
  break_odds: null,
  first_signal_at: '2018-08-01',
  latest_appearance_at: '2019-01-02',
  has_break_event: true,
  break_event_at: DAY,
};
const delta = {
  cluster_id: DELTA,
  artist_name: 'Delta',
  convergence_dim_count: 2,
  dimensions: ['press', 'booking'],
  break_odds: 9.7,
  first_signal_at: '2018-09-09',
  latest_appearance_at: '2019-02-01',
  has_break_event: false,
  break_event_at: null,
};
const omega = {
  ...delta,
  cluster_id: OMEGA,
  artist_name: OMEGA,
  first_signal_at: '2018-12-12',
};

const degraded = { present: false, state: 'degraded', aura: null };

describe('before the first snapshot', () => {
  it('every response is degraded', async () => {
    expect(await get('/api/v2/aura', AuraListBody)).toMatchObject({ state: 'degraded', items: [] });
    expect(await get(`/api/v2/aura/${ALPHA}`, AuraBody)).toEqual(degraded);
  });
});

describe('aura', () => {
  beforeAll(async () => {
    expect(await publish(auraIndex, DAY)).toEqual({ day: DAY, entries: 4, published: true });
  });

  it('lists by depth of convergence, then by latest appearance, then by cluster', async () => {
    const { state, items } = await get('/api/v2/aura', AuraListBody);
    expect(state).toBe('present');
    expect(items).toEqual([beta, delta, omega, alpha]);
  });

  it('describes its measure, the same for every request', async () => {
    const { about } = await get('/api/v2/aura', AuraListBody);
    expect(about).toMatchObject({
      scope: { dimensions: 7, window_months: 18, as_of: DAY },
      what: { break_odds: expect.stringContaining('base rate') },
    });
    expect((await get('/api/v2/aura?limit=1', AuraListBody)).about).toEqual(about);
  });

  it('returns as many rows as requested', async () => {
    expect((await get('/api/v2/aura?limit=3', AuraListBody)).items).toEqual([beta, delta, omega]);
    expect((await get('/api/v2/aura?limit=200', AuraListBody)).items).toHaveLength(4);
  });

  it.each(['0', '201', '-1', '1.5', 'many', ''])('rejects limit=%s', async (limit) => {
    expect(await rejected(`/api/v2/aura?limit=${limit}`, 400)).toMatchObject({
      error: 'invalid_query',
      param: 'limit',
    });
  });

  it('needs an API key', async () => {
    for (const path of ['/api/v2/aura', `/api/v2/aura/${ALPHA}`]) {
      const response = await discovery.askWithoutKey(path);
      expect(response.statusCode).toBe(401);
      expect(response.json()).toMatchObject({ error: 'missing_api_key' });
    }
  });

  it('returns the row of one artist, for digits in any case', async () => {
    const expected = { present: true, state: 'present', aura: alpha };
    expect(await get(`/api/v2/aura/${ALPHA}`, AuraBody)).toEqual(expected);
    expect(await get(`/api/v2/aura/${ALPHA.toUpperCase()}`, AuraBody)).toEqual(expected);
  });

  it('returns an honest gap for an artist with one dimension, a past one and an unknown one', async () => {
    for (const cluster of [GAMMA, past[0], UNKNOWN])
      expect(await get(`/api/v2/aura/${cluster}`, AuraBody)).toEqual({
        present: false,
        state: 'honest_gap',
        aura: null,
      });
  });

  it('says what is wrong with a cut cluster id', async () => {
    expect(await rejected(`/api/v2/aura/${ALPHA.slice(1)}`, 400)).toMatchObject({
      message: 'The aura key has 63 hex digits, and cluster ids have 64.',
    });
  });

  it.each(['alpha', ALPHA.slice(1), `${ALPHA}0`, `catalog:1`, 'g'.repeat(64), '%ff'])(
    'rejects %s as a key',
    async (key) => {
      expect(await rejected(`/api/v2/aura/${key}`, 400)).toMatchObject({ error: 'invalid_locator' });
    },
  );
});

describe('as time passes', () => {
  it('a dimension ages out of the window, one day after it was last lit', async () => {
    await publish(auraIndex, '2019-07-01');
    expect(await get(`/api/v2/aura/${ALPHA}`, AuraBody)).toMatchObject({ state: 'honest_gap' });
    // It was unknown the day before.
    expect(await get(`/api/v2/aura/${GAMMA}`, AuraBody)).toMatchObject({
      aura: { dimensions: ['press', 'radio'] },
    });
    expect(await get(`/api/v2/aura/${DELTA}`, AuraBody)).toMatchObject({
      aura: { has_break_event: true, break_event_at: '2019-07-01' },
    });
    expect(await get('/api/v2/aura', AuraListBody)).toMatchObject({
      about: { scope: { as_of: '2019-07-01' } },
    });
  });

  it('the odds of a depth become known when enough artists have had their 12 months', async () => {
    // Beta, Delta and Omega reached two dimensions in September, February and February.
    await publish(auraIndex, '2020-02-01');
    expect(await get(`/api/v2/aura/${DELTA}`, AuraBody)).toMatchObject({
      aura: { break_odds: Math.round((1_000 * 5) / 34) / 10 },
    });
  });

  it('a leap day is a day like any other', async () => {
    expect(await publish(auraIndex, '2020-02-29')).toMatchObject({ day: '2020-02-29', published: true });
    // The window begins on 2018-08-29, before the last appearance of each.
    expect((await get('/api/v2/aura', AuraListBody)).about).toMatchObject({ scope: { as_of: '2020-02-29' } });
    expect(await get(`/api/v2/aura/${BETA}`, AuraBody)).toMatchObject({ aura: { convergence_dim_count: 3 } });
  });

  it('every artist ages out in the end', async () => {
    expect(await publish(auraIndex, '2024-02-29')).toMatchObject({ entries: 0, published: true });
    expect(await get('/api/v2/aura', AuraListBody)).toMatchObject({ state: 'present', items: [] });
  });
});

describe('a run of its job', () => {
  const bodies = async (): Promise<string> => {
    const { rows } = await pool.query<{ bodies: string }>(
      `select string_agg(concat_ws(' ', list, place, key, body), ';' order by place) as bodies
       from published.live join published.entry using (snapshot) where index = 'aura'`,
    );
    return rows[0]?.bodies ?? '';
  };
  const withdraw = () => pool.query(`update published.snapshot set inputs = null where index = 'aura'`);

  it('gives the same bytes for the same rows and day', async () => {
    await publish(auraIndex, DAY);
    const before = await bodies();
    expect(before).toContain('"artist_name":"Alpha"');
    await withdraw();
    expect(await publish(auraIndex, DAY)).toMatchObject({ published: true });
    expect(await bodies()).toBe(before);
  });

  it('has nothing to do while neither the day nor a row has changed', async () => {
    await publish(auraIndex, DAY);
    expect(await publish(auraIndex, DAY)).toEqual({ day: DAY, entries: 0, published: false });
    expect(await publish(auraIndex, '2019-06-29')).toMatchObject({ published: true });
  });

  it('publishes changed and deleted rows', async () => {
    await publish(auraIndex, DAY);
    const press = JSON.stringify([ALPHA, 'press']);
    const changed = JSON.stringify({
      ...rowsOf(clusterArrivalLedgerV1, arrived(ALPHA, 'press', '2016-01-01', '2018-01-01')).rows[0],
    });
    await pool.query(`update ingest.mirror set row = $2, version = '2' where key = $1`, [press, changed]);
    expect(await publish(auraIndex, DAY)).toMatchObject({ published: true });
    expect(await get(`/api/v2/aura/${ALPHA}`, AuraBody)).toMatchObject({
      aura: { dimensions: ['booking', 'radio', 'press'] },
    });
    await pool.query(`update ingest.mirror set row = null, version = '3' where key = $1`, [press]);
    expect(await publish(auraIndex, DAY)).toMatchObject({ published: true });
    expect(await get(`/api/v2/aura/${ALPHA}`, AuraBody)).toMatchObject({ aura: alpha });
  });
});

describe('a read that fails', () => {
  const pools: Pool[] = [];
  const undo: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const one of pools.splice(0)) await one.end();
    for (const step of undo.splice(0).reverse()) await step();
  });
  const reading = (options: object): Pool => {
    const one = connect(discovery.url, 'test', options);
    pools.push(one);
    return one;
  };
  const expectDegraded = async (app: Pick<typeof discovery, 'get'>) => {
    expect(await app.get('/api/v2/aura', AuraListBody)).toMatchObject({ state: 'degraded', items: [] });
    expect(await app.get(`/api/v2/aura/${ALPHA}`, AuraBody)).toEqual(degraded);
  };

  it('for a missing table degrades the response', async () => {
    await pool.query('alter table published.entry rename to elsewhere');
    undo.push(() => pool.query('alter table published.elsewhere rename to entry'));
    await expectDegraded(discovery);
  });

  it('for a missing grant degrades the response', async () => {
    const role = `reader_${randomBytes(5).toString('hex')}`;
    await pool.query(`create role ${role}`);
    undo.push(() => pool.query(`drop role ${role}`));
    await expectDegraded(await discovery.beside({ readPool: reading({ options: `-c role=${role}` }) }));
  });
});
