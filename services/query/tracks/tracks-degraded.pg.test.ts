import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../../../db/connect.ts';
import { transaction } from '../../../db/transaction.ts';
import { mbRecording } from '../../../projections/contracts/mb/recording.ts';
import { storefrontTrack } from '../../../projections/contracts/storefront/track.ts';
import { liveVersion, lookupTable } from '../../../projections/engine/store/version.ts';
import { type TrackRequests, withTracks } from '../../../test/support/query/track-service.ts';
import { rowsOf } from '../../../test/support/rows/source-rows.ts';

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

const TRACKS = [
  { artist: 'Mono', title: 'Halcyon' },
  { artist: null, title: 'Halcyon' },
];
const clustersOf = ({ results }: Awaited<ReturnType<TrackRequests['tracks']>>): string[] =>
  results.map(({ clusterId }) => clusterId);

/** The responses while one corpus, or both, cannot be read. */
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
  const { state, results } = await app.resolve({ tracks: TRACKS });
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
  it('because its table is missing', async () => {
    for (const view of ['mb_track', 'mb_track_address']) {
      await service.pool.query(`alter view read.${view} rename to ${view}_away`);
      const back = `alter view read.${view}_away rename to ${view}`;
      const app = await open(service.pool);
      await expectDegraded(app, true).finally(() => service.pool.query(back));
      expect(await app.tracks({ title: 'Halcyon' })).toMatchObject({ state: 'ok', count: 1 });
    }
  });

  describe('because it is not granted', () => {
    const role = `test_${randomBytes(5).toString('hex')}`;
    beforeAll(async () => {
      await service.pool.query(`create role ${role}; grant usage on schema read to ${role}`);
      return async () => {
        await service.pool.query(`drop owned by ${role}; drop role ${role}`);
      };
    });

    it('degrades the response, for one corpus or both', async () => {
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

it('a locked corpus degrades the response, which has what the other found', async () => {
  const app = await open(poolWith({ statement_timeout: 1_000 }));
  const version = await liveVersion(service.pool, 'mb-track');
  if (version === null) throw new Error('there is no live version');
  await transaction(service.pool, async (client) => {
    await client.query(`lock table ${lookupTable(version)} in access exclusive mode`);
    await expectDegraded(app, true);
  });
  expect(await app.tracks({ title: 'alcyo', fuzzy: 'true' })).toMatchObject({ state: 'ok', count: 1 });
});
