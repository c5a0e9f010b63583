import { describe, expect, it } from 'vitest';
import { MASTER_ID, masterOf, masterRow, storedText } from '../../../../test/support/rows/master.ts';
import {
  CLUSTER,
  OTHER_CLUSTER,
  rowsOf,
  type SourceRows,
} from '../../../../test/support/rows/source-rows.ts';
import { catalogArtist } from '../../../contracts/catalog/artist.ts';
import { catalogMasterCube } from '../../../contracts/catalog/master-cube.ts';
import type { RowOf } from '../../../contracts/columns.ts';
import { artistIdentityBridge } from '../../../contracts/seen/artist-identity-bridge.ts';
import { masterPropagationTimelineCluster } from '../../../contracts/seen/master-propagation-timeline-cluster.ts';

const MBID = '0f0e0d0c-0b0a-4908-8706-050403020100';

const cube = (row: Partial<RowOf<typeof catalogMasterCube.columns>>): SourceRows =>
  rowsOf(catalogMasterCube, { master_id: MASTER_ID, ...row });
const bridge = (...rows: Partial<RowOf<typeof artistIdentityBridge.columns>>[]): SourceRows =>
  rowsOf(
    artistIdentityBridge,
    ...rows.map((row) => ({ catalog_artist_id_count: 1, is_exact: true, ...row })),
  );
const seen = (...rows: Partial<RowOf<typeof masterPropagationTimelineCluster.columns>>[]): SourceRows =>
  rowsOf(masterPropagationTimelineCluster, ...rows.map((row) => ({ master_id: MASTER_ID, ...row })));

it('contain all known data, and nothing else', async () => {
  const text = await storedText(
    masterRow({
      title: 'Windowlicker',
      artist_display: 'Aphex & Other',
      catalog_artist_ids: [12, 11],
      artist_cluster_id: CLUSTER,
      year: 1999,
      genres: ['Electronic'],
      styles: ['IDM', 'Drill n Bass'],
      formats: ['CD'],
      country: 'GB',
      labels: ['Warp'],
      release_count: 9,
      rg_mbid: MBID,
      tracklist: [{ position: 'A1', title: 'Windowlicker', duration_s: 366.5 }],
    }),
    rowsOf(catalogArtist, { catalog_artist_id: 11, name: 'Aphex', slug: 'Aphex' }),
    bridge({ cluster_id: CLUSTER, catalog_artist_id: 11 }),
    cube({ cube_quadrant: '110', owner_count: 987_654, dj_count: 21, critic_count: 3 }),
    seen({ channel: 'dj', first_seen_at: '2018-01-31', latest_seen_at: '2019-06-30', observations: 4 }),
  );
  const { master: body, ...around } = JSON.parse(text);
  const { provenance, ...sections } = body;
  expect(around).toEqual({ object: 'master.dossier', present: true });
  expect(sections).toEqual({
    grain: 'master',
    header: {
      masterId: 101,
      title: 'Windowlicker',
      artistDisplay: 'Aphex & Other',
      artists: [
        { catalogArtistId: 12, name: null, slug: null, clusterId: null },
        { catalogArtistId: 11, name: 'Aphex', slug: 'aphex', clusterId: CLUSTER },
      ],
      year: 1999,
      genres: ['Electronic'],
      styles: ['IDM', 'Drill n Bass'],
      formats: ['CD'],
      country: 'GB',
      labels: ['Warp'],
      releaseCount: 9,
    },
    binding: { observed: false },
    cube: { quadrant: '110', djCount: 21, criticCount: 3 },
    tracklist: [{ position: 'A1', title: 'Windowlicker', durationS: 367 }],
    propagation: [{ channel: 'dj', firstSeenAt: '2018-01-31', latestSeenAt: '2019-06-30', observations: 4 }],
    artwork: [
      {
        url: `https://coverartarchive.org/release-group/${MBID}/front-500`,
        source: 'coverarchive',
        grain: 'release',
        license: 'see-source',
        rehost: false,
      },
    ],
    generated_at: '2026-01-01T00:00:00Z',
  });
  expect(Object.keys(body)).toEqual([
    'grain',
    'header',
    'binding',
    'cube',
    'tracklist',
    'propagation',
    'artwork',
    'provenance',
    'generated_at',
  ]);
  expect(provenance).toHaveLength(8);
  expect(text).not.toMatch(/987_?654|owner/i);
});

describe('header', () => {
  it('names each artist once, in the order of the catalogue', async () => {
    const { header } = await masterOf(
      masterRow({ catalog_artist_ids: [30, 2, 30, 11, 2] }),
      rowsOf(catalogArtist, { catalog_artist_id: 2, name: 'Two' }, { catalog_artist_id: 30, name: 'Thirty' }),
    );
    const named = header.artists.map(({ catalogArtistId, name }: Record<string, unknown>) => [
      catalogArtistId,
      name,
    ]);
    expect(named).toEqual([
      [30, 'Thirty'],
      [2, 'Two'],
      [11, null],
    ]);
  });

  it.each([
    ['exact before sure', [{ is_exact: false, confidence: 0.9 }, { confidence: 0.5 }], OTHER_CLUSTER],
    ['the surest of equals', [{ confidence: 0.9 }, { confidence: 0.5 }], CLUSTER],
    ['no over-merge', [{ catalog_artist_id_count: 2 }], null],
    ['one that is not exact', [{ is_exact: false }], CLUSTER],
    ['none', [], null],
  ])('gives an artist its bound cluster: %s', async (_name, rows, expected) => {
    const ids = rows.map((row, index) => ({
      cluster_id: index === 0 ? CLUSTER : OTHER_CLUSTER,
      catalog_artist_id: 11,
      ...row,
    }));
    const { header } = await masterOf(masterRow(), bridge(...ids));
    expect(header.artists[0].clusterId).toBe(expected);
  });
});

describe('binding', () => {
  it.each([
    ['no name cluster', null, { catalog_artist_id_count: 2 }, false],
    ['a name cluster without a bridge', OTHER_CLUSTER, { catalog_artist_id_count: 2 }, false],
    ['one catalogue artist', CLUSTER, {}, false],
    ['several of them', CLUSTER, { catalog_artist_id_count: 2 }, true],
    ['several others', CLUSTER, { catalog_artist_id_count: 3, catalog_artist_id: 99 }, true],
    ['several, none of them named', CLUSTER, { catalog_artist_id_count: 2, catalog_artist_id: null }, true],
  ])('is observed only through an over-merge: %s', async (_name, cluster, changed, observed) => {
    const { binding } = await masterOf(
      masterRow({ artist_cluster_id: cluster }),
      bridge({ cluster_id: CLUSTER, catalog_artist_id: 11, ...changed }),
    );
    expect(binding).toEqual({ observed });
  });
});

describe('cube', () => {
  it.each([
    ['000', '000'],
    ['111', '111'],
    ['', null],
    ['11', null],
    ['1111', null],
    ['012', null],
    ['101\n', null],
    [null, null],
  ])('reads the quadrant %j as %j', async (given, quadrant) => {
    const body = await masterOf(masterRow(), cube({ cube_quadrant: given, dj_count: null, critic_count: 0 }));
    expect(body.cube).toEqual({ quadrant, djCount: null, criticCount: 0 });
  });

  it('is null in every part without a row', async () => {
    expect((await masterOf(masterRow())).cube).toEqual({ quadrant: null, djCount: null, criticCount: null });
  });
});

it('propagation joins the clusters of a channel without summing them, the earliest channel first', async () => {
  const { propagation } = await masterOf(
    masterRow(),
    seen(
      { channel: 'radio', first_seen_at: '2018-02-01', latest_seen_at: '2018-02-01', observations: 1 },
      { channel: 'dj', first_seen_at: '2018-02-02', latest_seen_at: '2018-03-01', observations: 7 },
      {
        cluster_id: OTHER_CLUSTER,
        channel: 'dj',
        first_seen_at: '2018-02-01',
        latest_seen_at: '2018-02-28',
        observations: 5,
      },
      { channel: 'press', first_seen_at: '2018-01-31', latest_seen_at: '2020-02-29', observations: 2 },
    ),
  );
  expect(propagation).toEqual([
    { channel: 'press', firstSeenAt: '2018-01-31', latestSeenAt: '2020-02-29', observations: 2 },
    { channel: 'dj', firstSeenAt: '2018-02-01', latestSeenAt: '2018-03-01', observations: 7 },
    { channel: 'radio', firstSeenAt: '2018-02-01', latestSeenAt: '2018-02-01', observations: 1 },
  ]);
});
