import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../../db/connect.ts';
import { transaction } from '../../db/transaction.ts';
import { mbRecording } from '../../projections/sources/mb/recording.ts';
import { storefrontTrack } from '../../projections/sources/storefront/track.ts';
import { addressTable, liveVersion } from '../../projections/store/version.ts';
import { rowsOf } from '../../test/rows/source-rows.ts';
import { refusalOf, type TrackRequests, withTracks } from '../../test/track-service.ts';

const A = 'a1'.repeat(32);
const B = 'b2'.repeat(32);

const service = withTracks(
  rowsOf(mbRecording, {
    cluster_id: 'e5'.repeat(32),
    artist_cluster_id: A,
    artist_credit: 'Mono',
    title: 'Halcyon',
    length_ms: 100_000,
    release_count: 2,
    isrcs: [],
  }),
  rowsOf(storefrontTrack, {
    item_id: 'i1',
    track_no: 1,
    cluster_id: B,
    artist_name: 'Poly',
    title: 'Halcyon',
    duration_ms: 200_000,
  }),
);

const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

async function open(readPool: Pool): Promise<TrackRequests> {
  const app = await service.open({ readPool });
  undo.push(() => app.close());
  return app;
}

function poolWith(options: Parameters<typeof connect>[2]): Pool {
  const pool = connect(service.url, 'test', options);
  undo.push(() => pool.end());
  return pool;
}

const ASKED = [
  { artist: 'Mono', title: 'Halcyon' },
  { artist: null, title: 'Halcyon' },
];
const clustersOf = ({ results }: Awaited<ReturnType<TrackRequests['tracks']>>): string[] =>
  results.map(({ clusterId }) => clusterId);

/** What is answered while one corpus, or both, cannot be read. */
async function expectDegraded(app: TrackRequests, isStorefrontReadable: boolean): Promise<void> {
  for (const how of [{ title: 'Halcyon' }, { title: 'alcyo', fuzzy: 'true' }]) {
    const mb = await app.tracks({ ...how });
    expect(mb).toMatchObject({ state: 'degraded', count: 0, results: [], truncated: false });
    const storefront = await app.tracks({ ...how, source: 'storefront' });
    expect([storefront.state, clustersOf(storefront)]).toEqual(
      isStorefrontReadable ? ['ok', [B]] : ['degraded', []],
    );
    const all = await app.tracks({ ...how, source: 'all' });
    expect([all.state, clustersOf(all)]).toEqual(['degraded', isStorefrontReadable ? [B] : []]);
  }
  const { state, results } = await app.resolve({ tracks: ASKED });
  expect(state).toBe('degraded');
  expect(results.map(({ query_index, matched, duration_s }) => [query_index, matched, duration_s])).toEqual(
    isStorefrontReadable
      ? [
          [0, false, null],
          [1, true, 200],
        ]
      : [],
  );
}

describe('a corpus that cannot be read', () => {
  it('for its table is missing', async () => {
    for (const view of ['mb_track', 'mb_track_address']) {
      await service.pool.query(`alter view read.${view} rename to ${view}_away`);
      const back = `alter view read.${view}_away rename to ${view}`;
      const app = await open(service.pool);
      await expectDegraded(app, true).finally(() => service.pool.query(back));
      expect(await app.tracks({ title: 'Halcyon' })).toMatchObject({ state: 'ok', count: 1 });
    }
  });

  describe('for it may not be', () => {
    const role = `test_${randomBytes(5).toString('hex')}`;
    beforeAll(async () => {
      await service.pool.query(`create role ${role}; grant usage on schema read to ${role}`);
      return async () => {
        await service.pool.query(`drop owned by ${role}; drop role ${role}`);
      };
    });

    it('one of them, or both', async () => {
      const app = await open(poolWith({ options: `-c role=${role}` }));
      await expectDegraded(app, false);
      await service.pool.query(
        `grant select on read.storefront_track, read.storefront_track_address to ${role}`,
      );
      await expectDegraded(app, true);
      await service.pool.query(`grant select on read.mb_track, read.mb_track_address to ${role}`);
      expect(await app.tracks({ title: 'Halcyon', source: 'all' })).toMatchObject({ state: 'ok', count: 2 });
    });
  });
});

describe('a database in trouble', () => {
  const requests = [
    { url: '/api/v2/tracks?title=Halcyon' },
    { url: '/api/v2/tracks?title=alcyo&fuzzy=true' },
    { url: '/api/v2/tracks/resolve?artist=Mono&title=Halcyon' },
  ];

  it('is no degraded corpus where every connection is busy', async () => {
    const pool = poolWith({ max: 1 });
    const app = await open(pool);
    const held = await pool.connect();
    // Only from here on, for a connection may take its time to be made.
    pool.options.connectionTimeoutMillis = 20;
    try {
      for (const request of requests) {
        const refused = await app.send(request);
        expect(refusalOf(refused, 503)).toMatchObject({ error: 'pool_exhausted', retry_after_seconds: 5 });
      }
    } finally {
      held.release();
    }
  });

  it('is no degraded corpus where it is away', async () => {
    const app = await open(connect('postgres://127.0.0.1:1/nowhere', 'test'));
    for (const request of requests) {
      expect(refusalOf(await app.send(request), 503)).toMatchObject({ error: 'pool_exhausted' });
    }
  });

  it('is no degraded corpus where it is too slow; a part of a title is answered with what was found', async () => {
    const app = await open(poolWith({ statement_timeout: 1_000 }));
    const version = await liveVersion(service.pool, 'mb-track');
    if (version === null) throw new Error('there is no live version');
    await transaction(service.pool, async (client) => {
      await client.query(`lock table ${addressTable(version)} in access exclusive mode`);
      for (const { url } of [requests[0], requests[2]].filter((request) => request !== undefined)) {
        expect(refusalOf(await app.send({ url }), 504)).toMatchObject({ error: 'deadline_exceeded' });
      }
      expect(await app.tracks({ title: 'alcyo', fuzzy: 'true', source: 'all' })).toMatchObject({
        state: 'ok',
        truncated: true,
        results: [{ clusterId: B }],
      });
    });
    expect(await app.tracks({ title: 'alcyo', fuzzy: 'true' })).toMatchObject({ truncated: false, count: 1 });
  });
});
