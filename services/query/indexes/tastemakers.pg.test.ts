import { beforeAll, describe, expect, it } from 'vitest';
import { artistPressMentions } from '../../../projections/contracts/archive/artist-press-mentions.ts';
import { catalogArtist } from '../../../projections/contracts/catalog/artist.ts';
import type { Source } from '../../../projections/contracts/contract.ts';
import { artistBrokerage } from '../../../projections/contracts/seen/artist-brokerage.ts';
import { artistIdentityBridge } from '../../../projections/contracts/seen/artist-identity-bridge.ts';
import { artistMomentum } from '../../../projections/contracts/seen/artist-momentum.ts';
import { artistNetworkPosition } from '../../../projections/contracts/seen/artist-network-position.ts';
import { djTastemakerScore } from '../../../projections/contracts/seen/dj-tastemaker-score.ts';
import { performingEntity } from '../../../projections/contracts/seen/performing-entity.ts';
import { registerSources } from '../../../projections/engine/registry.ts';
import { breakoutsIndex } from '../../../projections/models/breakouts/compute.ts';
import { tastemakersIndex } from '../../../projections/models/tastemakers/compute.ts';
import { fillMirror } from '../../../test/support/ingest/fill-mirror.ts';
import { withDiscovery } from '../../../test/support/query/discovery.ts';
import { rowsOf } from '../../../test/support/rows/source-rows.ts';
import { BreakoutsBody } from './breakouts.ts';
import { OnesToWatchBody, TastemakersBody } from './tastemakers.ts';

const DAY = '2020-02-29';
const DAY_MS = 86_400_000;
const ALPHA = 'a1'.repeat(32);
const BETA = 'b2'.repeat(32);
const GAMMA = 'c3'.repeat(32);
const FOLDED = 'd4'.repeat(32);
const NAMELESS = 'e5'.repeat(32);
/** More than a list may hold. */
const CROWD = 210;
const crowd = (prefix: string) =>
  Array.from({ length: CROWD }, (_, number) => prefix.repeat(30) + number.toString(16).padStart(4, '0'));
const followers = crowd('f0');

const discovery = withDiscovery((pool, registry) =>
  fillMirror(pool, registry, [
    rowsOf(catalogArtist, { catalog_artist_id: 11, name: 'Alpha Catalogued', slug: 'Alpha' }),
    rowsOf(
      artistIdentityBridge,
      { cluster_id: ALPHA, catalog_artist_id: 11, catalog_artist_id_count: 1, is_exact: true },
      { cluster_id: FOLDED, catalog_artist_id: 11, catalog_artist_id_count: 2, is_exact: true },
    ),
    rowsOf(
      performingEntity,
      { cluster_id: ALPHA, name: 'Alpha Live', slug: 'alpha-live' },
      { cluster_id: BETA, name: 'Beta', slug: 'Beta' },
      // The catalogue's Alpha is the better candidate for the slug.
      { cluster_id: GAMMA, name: 'Gamma', slug: 'alpha' },
      { cluster_id: FOLDED, name: 'Folded', slug: 'folded' },
    ),
    rowsOf(
      artistMomentum,
      { cluster_id: ALPHA, emergence_tier: 'rising', momentum_tier: 'rising', emergence_score: 7 },
      { cluster_id: BETA, emergence_tier: 'breakout', momentum_tier: 'breakout', emergence_score: 9 },
      { cluster_id: GAMMA, emergence_tier: 'rising', momentum_tier: 'breakout', emergence_score: 8 },
      { cluster_id: FOLDED, emergence_tier: 'breakout', momentum_tier: 'dormant', emergence_score: 6 },
      { cluster_id: NAMELESS, emergence_tier: 'breakout', momentum_tier: 'rising', emergence_score: 5 },
      ...followers.map((cluster_id, number) => ({
        cluster_id,
        emergence_tier: 'rising' as const,
        momentum_tier: 'rising' as const,
        emergence_score: -number,
      })),
    ),
    rowsOf(
      artistNetworkPosition,
      { cluster_id: ALPHA, degree: 8, emerging_neighbours: 2 },
      { cluster_id: BETA, degree: 3, emerging_neighbours: 3 },
      ...followers.map((cluster_id) => ({ cluster_id, degree: 1, emerging_neighbours: 0 })),
    ),
    rowsOf(
      artistBrokerage,
      { cluster_id: ALPHA, brokerage_score: 1 },
      { cluster_id: BETA, brokerage_score: 2 },
      { cluster_id: GAMMA, brokerage_score: 3 },
      ...followers.map((cluster_id, number) => ({ cluster_id, brokerage_score: -number })),
    ),
    rowsOf(
      djTastemakerScore,
      { cluster_id: BETA, dj_name: 'DJ Beta', cutting_edge_score: 50.5, masters_played_first: 4 },
      { cluster_id: ALPHA, dj_name: 'DJ Alpha', cutting_edge_score: 50.5, masters_played_first: 9 },
      ...followers.map((cluster_id, number) => ({ cluster_id, cutting_edge_score: -number })),
    ),
    rowsOf(
      artistPressMentions,
      { cluster_id: ALPHA, mention_id: 'm1', url: 'https://a.example' },
      { cluster_id: FOLDED, mention_id: 'm2', url: 'https://a.example' },
    ),
  ]),
);
const { publish, get, rejected, pool } = discovery;

/** The UTC day on which the served snapshot was published. */
async function publishedOn(index: string): Promise<string | undefined> {
  const { rows } = await pool.query<{ day: string }>(
    `select (published_at at time zone 'UTC')::date::text as day
     from published.live join published.snapshot on id = snapshot where live.index = $1`,
    [index],
  );
  return rows[0]?.day;
}

type Row = Record<string, unknown>;
const rows = (body: Record<string, unknown>, list: string): Row[] => body[list] as Row[];
const column = (body: Record<string, unknown>, list: string, name: string) =>
  rows(body, list).map((row) => row[name]);

describe('before the first snapshot', () => {
  const nothing = { snapshotDate: null, state: 'empty', stale: false };
  it('the indexes are empty', async () => {
    expect(await get('/api/v2/tastemakers', TastemakersBody)).toEqual({
      leaderboard: [],
      onesToWatch: [],
      earlySpinners: [],
      ...nothing,
    });
    expect(await get('/api/v2/tastemakers/ones-to-watch', OnesToWatchBody)).toEqual({
      items: [],
      ...nothing,
    });
    expect(await get('/api/v2/breakouts', BreakoutsBody)).toEqual({ items: [], ...nothing });
  });
});

describe('tastemakers', () => {
  beforeAll(async () => {
    expect(await publish(tastemakersIndex, DAY)).toEqual({
      day: await publishedOn('tastemakers'),
      entries: 600,
      published: true,
    });
  });

  it('rank brokers with known network and momentum', async () => {
    const body = await get('/api/v2/tastemakers?limit=3', TastemakersBody);
    expect(body).toMatchObject({
      snapshotDate: await publishedOn('tastemakers'),
      state: 'present',
      stale: false,
    });
    expect(rows(body, 'leaderboard')).toMatchObject([
      { rank: 1, name: 'Beta', slug: 'beta', catalogArtistId: null, pctEmerging: 100, ownTier: 'breakout' },
      {
        rank: 2,
        name: 'Alpha Catalogued',
        slug: 'alpha',
        catalogArtistId: 11,
        degree: 8,
        emergingNeighbours: 2,
        pctEmerging: 25,
        ownTier: 'rising',
      },
      { rank: 3, name: followers[0], slug: null, catalogArtistId: null, pctEmerging: 0 },
    ]);
  });

  it('list ones to watch and link only slugs that lead to them', async () => {
    const body = await get('/api/v2/tastemakers?limit=4', TastemakersBody);
    expect(rows(body, 'onesToWatch')).toMatchObject([
      { rank: 1, name: 'Beta', slug: 'beta', linkable: true, emergenceScore: 9, corroboratingAxes: [] },
      { rank: 2, name: 'Gamma', slug: null, linkable: false },
      { rank: 3, name: 'Alpha Catalogued', slug: 'alpha', linkable: true, corroboratingAxes: ['press'] },
      { rank: 4, name: NAMELESS, slug: null, linkable: false },
    ]);
    for (const { slug, name } of rows(body, 'onesToWatch').filter(({ linkable }) => linkable)) {
      const response = await discovery.ask(`/api/v2/artist/${slug}?fields=identity`);
      expect(response.json().identity.name).toBe(name);
    }
  });

  it('list early spinners; of equals, the one that was first more often comes first', async () => {
    const body = await get('/api/v2/tastemakers?limit=3', TastemakersBody);
    expect(rows(body, 'earlySpinners')).toEqual([
      {
        rank: 1,
        djName: 'DJ Alpha',
        totalMastersPlayed: 2,
        mastersPlayedFirst: 9,
        mastersPlayedWithin7d: 2,
        cuttingEdgeScore: 50.5,
        firstPlayAt: null,
        latestPlayAt: null,
      },
      expect.objectContaining({ rank: 2, djName: 'DJ Beta' }),
      expect.objectContaining({ rank: 3, djName: 'dj_name 3', cuttingEdgeScore: 0 }),
    ]);
  });

  it('bound each list by the limit (default 50, at most 200)', async () => {
    for (const [query, length] of [
      ['', 50],
      ['?limit=1', 1],
      ['?limit=200', 200],
    ] as const) {
      const body = await get(`/api/v2/tastemakers${query}`, TastemakersBody);
      for (const list of ['leaderboard', 'onesToWatch', 'earlySpinners']) {
        expect(rows(body, list)).toHaveLength(length);
        expect(column(body, list, 'rank')).toEqual(Array.from({ length }, (_, index) => index + 1));
      }
    }
  });

  it('list the same ones to watch on their own route', async () => {
    for (const query of ['', '?limit=1', '?limit=200']) {
      const whole = await get(`/api/v2/tastemakers${query}`, TastemakersBody);
      expect(await get(`/api/v2/tastemakers/ones-to-watch${query}`, OnesToWatchBody)).toEqual({
        items: whole.onesToWatch,
        snapshotDate: await publishedOn('tastemakers'),
        state: 'present',
        stale: false,
      });
    }
  });

  it.each(['0', '201', '-1', '2.5', 'all', ''])('reject limit=%s', async (limit) => {
    for (const path of ['/api/v2/tastemakers', '/api/v2/tastemakers/ones-to-watch'])
      expect(await rejected(`${path}?limit=${limit}`, 400)).toMatchObject({
        error: 'invalid_query',
        param: 'limit',
      });
  });
});

describe('breakouts', () => {
  beforeAll(async () => {
    await publish(breakoutsIndex, DAY);
  });
  const clusters = async (query: string) =>
    column(await get(`/api/v2/breakouts${query}`, BreakoutsBody), 'items', 'clusterId');

  it('are all breakout and rising artists, with or without momentum, the strongest first', async () => {
    const body = await get('/api/v2/breakouts?limit=5', BreakoutsBody);
    expect(body).toMatchObject({
      snapshotDate: await publishedOn('breakouts'),
      state: 'present',
      stale: false,
    });
    expect(rows(body, 'items')).toMatchObject([
      {
        clusterId: BETA,
        slug: 'beta',
        resolvedVia: 'cluster',
        corroboration: 'booking_ahead',
        pressCount: 0,
      },
      { clusterId: GAMMA, slug: null },
      {
        clusterId: ALPHA,
        name: 'Alpha Catalogued',
        resolvedVia: 'catalog',
        catalogArtistId: 11,
        pressCount: 1,
      },
      // Over-merged: no catalogue artist represents it.
      {
        clusterId: FOLDED,
        name: 'Folded',
        resolvedVia: 'cluster',
        catalogArtistId: null,
        momentumTier: 'dormant',
      },
      { clusterId: NAMELESS, name: NAMELESS },
    ]);
    expect(rows(body, 'items')[0]?._links).toEqual({ artist: `/api/v2/artist/${BETA}` });
  });

  it('are filtered by tier and by corroboration', async () => {
    expect(await clusters('?tier=breakout')).toEqual([BETA, FOLDED, NAMELESS]);
    expect(await clusters('?tier=rising&limit=3')).toEqual([GAMMA, ALPHA, followers[0]]);
    expect(await clusters('?corroboration=corroborated')).toEqual([ALPHA, FOLDED]);
    expect(await clusters('?corroboration=booking_ahead&limit=3')).toEqual([BETA, GAMMA, NAMELESS]);
    expect(await clusters('?tier=breakout&corroboration=corroborated')).toEqual([FOLDED]);
    expect(await clusters('?tier=rising&corroboration=corroborated')).toEqual([ALPHA]);
  });

  it('are 50 by default and clamped to 200', async () => {
    expect(await clusters('')).toHaveLength(50);
    const most = await clusters('?limit=200');
    expect(most).toHaveLength(200);
    for (const limit of ['201', '1000000', '9007199254740991'])
      expect(await clusters(`?limit=${limit}`)).toEqual(most);
    expect(await clusters('?limit=1')).toEqual([BETA]);
    expect(await clusters('?tier=rising&limit=999')).toHaveLength(200);
  });

  it.each([
    ['limit', '0'],
    ['limit', '-5'],
    ['limit', '1.5'],
    ['limit', 'many'],
    ['limit', '1e2'],
    ['tier', 'steady'],
    ['tier', ''],
    ['tier', 'Breakout'],
    ['corroboration', 'press'],
  ])('reject %s=%s', async (name, value) => {
    expect(await rejected(`/api/v2/breakouts?${name}=${value}`, 400)).toMatchObject({
      error: 'invalid_query',
      param: name,
    });
  });

  it('are empty if no artist passes the filter', async () => {
    await pool.query(`update published.entry set list = 'elsewhere' where list = 'breakout corroborated'`);
    await pool.query(`update published.snapshot set inputs = null where index = 'breakouts'`);
    expect(await get('/api/v2/breakouts?tier=breakout&corroboration=corroborated', BreakoutsBody)).toEqual({
      items: [],
      snapshotDate: await publishedOn('breakouts'),
      state: 'empty',
      stale: false,
    });
    await publish(breakoutsIndex, DAY);
  });
});

describe('breakouts polled every few minutes', () => {
  const looked = async (): Promise<boolean> => (await publish(breakoutsIndex, DAY)).published;
  const [beta] = rowsOf(artistMomentum, {
    cluster_id: BETA,
    emergence_tier: 'breakout',
    momentum_tier: 'breakout',
    emergence_score: 9,
  }).rows;
  let version = 0;
  async function becomes(source: Source, subject: string, row: object | null | undefined): Promise<void> {
    const id = (await registerSources(pool)).idOf(source);
    const changed = await pool.query(
      'update ingest.mirror set row = $3, version = $4 where source = $1 and subject = $2',
      [id, subject, row && JSON.stringify(row), `edition ${++version}`],
    );
    expect(changed.rowCount).toBe(1);
  }
  const tierOf = async (cluster: string) =>
    rows(await get('/api/v2/breakouts?limit=200', BreakoutsBody), 'items').find(
      ({ clusterId }) => clusterId === cluster,
    )?.emergenceTier;

  it('are published again only after changes of momentum or press, or on another day', async () => {
    await looked();
    expect(await looked()).toBe(false);
    expect((await publish(breakoutsIndex, '2021-01-01')).published).toBe(false);
    await becomes(artistMomentum, BETA, { ...beta, emergence_tier: 'rising' });
    expect(await tierOf(BETA)).toBe('breakout');
    expect(await looked()).toBe(true);
    expect(await tierOf(BETA)).toBe('rising');
    await becomes(artistMomentum, BETA, beta);
    await becomes(artistPressMentions, FOLDED, null);
    expect(await looked()).toBe(true);
    expect(await tierOf(BETA)).toBe('breakout');
    expect(await looked()).toBe(false);
  });

  it('are confirmed every day without changes, so that they never become stale', async () => {
    await pool.query(
      `update published.snapshot set day = day - 8, published_at = published_at - interval '8 days' where index = 'breakouts'`,
    );
    const before = await get('/api/v2/breakouts?limit=1', BreakoutsBody);
    expect(before).toMatchObject({ snapshotDate: await publishedOn('breakouts'), stale: true });
    expect(await looked()).toBe(true);
    const after = await get('/api/v2/breakouts?limit=1', BreakoutsBody);
    expect(after).toEqual({ ...before, snapshotDate: await publishedOn('breakouts'), stale: false });
    expect(after.snapshotDate).not.toBe(before.snapshotDate);
  });
});

describe('the indexes of one day', () => {
  const bytes = async (index: string): Promise<string> => {
    const { rows } = await pool.query<{ bytes: string }>(
      `select string_agg(concat_ws(' ', list, place, key, body), ';' order by place) as bytes
       from published.live join published.entry using (snapshot) where index = $1`,
      [index],
    );
    return rows[0]?.bytes ?? '';
  };

  it('are the same bytes for every publication', async () => {
    for (const index of [tastemakersIndex, breakoutsIndex]) {
      await publish(index, DAY);
      await pool.query('update published.snapshot set inputs = null');
      const before = await bytes(index.name);
      expect(before.length).toBeGreaterThan(10_000);
      expect(await publish(index, DAY)).toMatchObject({ published: true });
      expect(await bytes(index.name)).toBe(before);
    }
  });
});

describe('a key', () => {
  it.each(['/api/v2/tastemakers', '/api/v2/tastemakers/ones-to-watch', '/api/v2/breakouts'])(
    'is needed for %s',
    async (path) => {
      const response = await discovery.askWithoutKey(path);
      expect(response.statusCode).toBe(401);
      expect(response.json()).toMatchObject({ error: 'missing_api_key' });
    },
  );
});

describe('a read that fails', () => {
  it('degrades the response', async () => {
    await pool.query('alter table published.snapshot rename to elsewhere');
    try {
      const degraded = { snapshotDate: null, state: 'degraded', stale: false };
      expect(await get('/api/v2/tastemakers', TastemakersBody)).toEqual({
        leaderboard: [],
        onesToWatch: [],
        earlySpinners: [],
        ...degraded,
      });
      expect(await get('/api/v2/tastemakers/ones-to-watch', OnesToWatchBody)).toEqual({
        items: [],
        ...degraded,
      });
      expect(await get('/api/v2/breakouts', BreakoutsBody)).toEqual({ items: [], ...degraded });
    } finally {
      await pool.query('alter table published.elsewhere rename to snapshot');
    }
  });
});

describe('a snapshot', () => {
  it('is stale if published more than seven days ago, whatever its day', async () => {
    await publish(tastemakersIndex, DAY);
    await publish(breakoutsIndex, DAY);
    const staleness = async () => [
      (await get('/api/v2/tastemakers?limit=1', TastemakersBody)).stale,
      (await get('/api/v2/tastemakers/ones-to-watch?limit=1', OnesToWatchBody)).stale,
      (await get('/api/v2/breakouts?limit=1', BreakoutsBody)).stale,
    ];
    expect(await staleness()).toEqual([false, false, false]);
    const publishedAt = new Date('2026-01-01T00:00:00Z');
    await pool.query('update published.snapshot set published_at = $1', [publishedAt]);
    discovery.setTime(publishedAt.getTime() + 7 * DAY_MS);
    expect(await staleness()).toEqual([false, false, false]);
    discovery.setTime(publishedAt.getTime() + 7 * DAY_MS + 1);
    expect(await staleness()).toEqual([true, true, true]);
    await pool.query(`update published.snapshot set published_at = published_at + interval '7 days'`);
    expect(await staleness()).toEqual([false, false, false]);
  });
});
