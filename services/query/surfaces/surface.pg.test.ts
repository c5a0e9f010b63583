import { describe, expect, it } from 'vitest';
import { listenFlowByClusterV1 } from '../../../projections/contracts/mirror/listen-flow-by-cluster-v1.ts';
import { wantlistDemandByClusterV1 } from '../../../projections/contracts/mirror/wantlist-demand-by-cluster-v1.ts';
import { artistMomentum } from '../../../projections/contracts/seen/artist-momentum.ts';
import { radioPlayV1 } from '../../../projections/contracts/seen/radio-play-v1.ts';
import {
  capOf,
  keyspaceOf,
  type SurfaceSource,
  surfaceByName,
  surfaces,
} from '../../../projections/contracts/surfaces.ts';
import { semanticsOf } from '../../../projections/models/semantics/index.ts';
import { BASE_URL } from '../../../test/support/query/app.ts';
import { type SurfaceTestRow, withSurfaces } from '../../../test/support/query/surface-service.ts';
import { rowsOf } from '../../../test/support/rows/source-rows.ts';

const service = withSurfaces();
const INDEX = '/api/v2/surface';
const KNOWN = 'ab'.repeat(32);
const UNKNOWN = 'ee'.repeat(32);
const PAGED = 'cd'.repeat(32);

const surface = ({ table }: { readonly table: string }): SurfaceSource => {
  const found = surfaceByName.get(table);
  if (found === undefined) throw new Error(`${table} is no surface`);
  return found;
};
const momentum = surface(artistMomentum);
const plays = surface(radioPlayV1);

/** A row with a value in every required column. */
const rowOf = (source: SurfaceSource, values: SurfaceTestRow = {}): SurfaceTestRow => ({
  ...rowsOf(source, {}).rows[0],
  cluster_id: KNOWN,
  ...values,
});
/** Another value for a key that is not the cluster's. */
const otherKey = ({ key }: SurfaceSource): SurfaceTestRow =>
  key.includes('cluster_id') ? {} : Object.fromEntries(key.map((column) => [column, 'other']));
const playsOf = (cluster: string, count: number): SurfaceTestRow[] =>
  Array.from({ length: count }, (_, index) =>
    rowOf(plays, { cluster_id: cluster, play_id: `${cluster}-${String(index).padStart(4, '0')}` }),
  );

async function index(): Promise<SurfaceTestRow[]> {
  const response = await service.get(INDEX);
  expect(response.statusCode).toBe(200);
  const { surfaces: listed, ...rest } = response.json();
  expect(rest).toEqual({
    object: 'surface.index',
    state: 'present',
    generated_at: `${new Date(service.now()).toISOString().slice(0, 19)}Z`,
  });
  return listed;
}
const livenessOf = async (source: SurfaceSource): Promise<unknown> =>
  (await index()).find(({ name }) => name === source.table)?.liveness;

describe('the registry', () => {
  it('lists every surface with all that a read needs', async () => {
    const listed = await index();
    expect(listed.map(({ name }) => name)).toEqual(surfaces.map(({ table }) => table));
    expect(listed.map(({ enabled, liveness }) => [enabled, liveness])).toEqual(
      surfaces.map(() => [true, 'empty']),
    );
    const dictionary = (await service.get('/api/v2/semantics/dictionary.json')).json().entries;
    for (const { name, semantics, dictionary: pointer } of listed) {
      const { producer, source_sha, surface: of, ...said } = dictionary[String(name)] ?? {};
      expect(semantics).toEqual(of === undefined ? null : said);
      expect(String(pointer).split('#')[0]).toBe('/api/v2/semantics/dictionary.json');
      expect(String(pointer).split('#')[1]).toBe(of === undefined ? undefined : `/entries/${name}`);
    }
    expect(listed.filter(({ semantics }) => semantics === null).length).toBeLessThan(20);
  });

  it('repeats the contract of each', async () => {
    const listed = await index();
    const rowFor = (name: string) => listed.find((row) => row.name === name);
    expect(rowFor('seen.radio_play_v1')).toEqual({
      name: 'seen.radio_play_v1',
      owner_repo: 'seen',
      enabled: true,
      grain: 'cluster-multirow',
      key: { type: 'bytes', keyspace: 'pe-norm-v1-artist', wire: 'hex64' },
      keyset: {
        order: [
          { column: 'played_at', direction: 'desc' },
          { column: 'play_id', direction: 'asc' },
        ],
        seek: ['played_at', 'play_id'],
      },
      cap: { default: 50, max: 200 },
      liveness: 'empty',
      coverage_note: 'No data of this surface has been received yet.',
      semantics: semanticsOf('seen.radio_play_v1'),
      dictionary: '/api/v2/semantics/dictionary.json#/entries/seen.radio_play_v1',
    });
    expect(rowFor('public.spine_artist_name_published_view')).toEqual({
      name: 'public.spine_artist_name_published_view',
      owner_repo: 'spine',
      enabled: true,
      grain: 'cluster-row',
      key: { type: 'bytes', keyspace: 'pe-norm-v1-artist', wire: 'hex64' },
      keyset: null,
      cap: { default: 1, max: 1 },
      liveness: 'empty',
      coverage_note: 'No data of this surface has been received yet.',
      semantics: null,
      dictionary: '/api/v2/semantics/dictionary.json',
    });
    expect(rowFor('seen.label_djset_momentum')).toMatchObject({ key: { keyspace: 'pe-norm-v1-label' } });
  });
});

describe('a surface', () => {
  it.each(surfaces.map(({ table }) => [table]))(
    '%s serves the row of a cluster and nothing of another',
    async (name) => {
      const source = surface({ table: name });
      const row = rowOf(source);
      await service.write(source, [row, rowOf(source, { ...otherKey(source), cluster_id: PAGED })]);
      const { cluster_id, ...columns } = row;
      const found = await service.rows(source, { cluster: KNOWN });
      expect(found).toEqual({
        object: 'surface.rows',
        surface: name,
        present: true,
        state: 'present',
        keyspace: keyspaceOf(source),
        liveness: 'populated',
        rows: [
          {
            [name === 'public.spine_artist_temporal_profile' ? 'cluster_id_hex' : 'cluster_id']: cluster_id,
            ...columns,
            ...(columns.wantlist_demand === undefined ? {} : { wantlist_demand: 0 }),
            ...(columns.wishlist_demand === undefined
              ? {}
              : { wishlist_demand: 0, earliest_wished_at: null, wished_coverage: null }),
          },
        ],
        next_after: null,
        coverage_note: expect.stringMatching(/^\S.*\.$/),
        degraded_reason: null,
        generated_at: `${new Date(service.now()).toISOString().slice(0, 19)}Z`,
      });
      expect(await service.rows(source, { cluster: UNKNOWN })).toMatchObject({
        present: false,
        state: 'honest_gap',
        liveness: 'populated',
        rows: [],
        next_after: null,
        degraded_reason: null,
      });
    },
  );

  it('accepts a key in any case', async () => {
    const { rows } = await service.rows(momentum, { cluster: KNOWN.toUpperCase() });
    expect(rows).toHaveLength(1);
    expect(rows[0]?.cluster_id).toBe(KNOWN);
  });

  it('finds nothing under a key of another keyspace', async () => {
    const journey = surface({ table: 'seen.song_station_journey' });
    const recording = '5a'.repeat(32);
    await service.write(journey, [rowOf(journey, { cluster_id: recording })]);
    expect((await service.rows(journey, { cluster: recording })).rows).toHaveLength(1);
    for (const table of ['seen.artist_momentum', 'seen.label_djset_momentum']) {
      expect(await service.rows(surface({ table }), { cluster: recording })).toMatchObject({
        present: false,
        state: 'honest_gap',
        rows: [],
      });
    }
  });

  it('serves digits as stored and no column outside its contract', async () => {
    const flow = surface(listenFlowByClusterV1);
    const cluster = '64'.repeat(32);
    await service.write(flow, [
      rowOf(flow, {
        cluster_id: cluster,
        week: '2019-06-24',
        listeners: 9223372036854775807n,
        secret: { listens: 1 },
      }),
    ]);
    const { body } = await service.get(`${INDEX}/${flow.table}?cluster=${cluster}`);
    expect(body).toContain(
      `"rows":[{"cluster_id":"${cluster}","week":"2019-06-24","listeners":9223372036854775807,"listens":1,"listens_delta":null}]`,
    );
  });

  it('serves fewer than five wishes as zero', async () => {
    const demand = surface(wantlistDemandByClusterV1);
    const wishesOf = async (cluster: string, wantlist_demand: number) => {
      await service.write(demand, [rowOf(demand, { cluster_id: cluster, wantlist_demand })]);
      return (await service.rows(demand, { cluster })).rows[0]?.wantlist_demand;
    };
    expect([await wishesOf('11'.repeat(32), 4), await wishesOf('12'.repeat(32), 5)]).toEqual([0, 5]);
  });

  it('does not serve a row that was deleted', async () => {
    const cluster = '13'.repeat(32);
    await service.write(momentum, [rowOf(momentum, { cluster_id: cluster })]);
    await service.pool.query('update ingest.mirror set row = null where subject = $1', [cluster]);
    expect(await service.rows(momentum, { cluster })).toMatchObject({ present: false, rows: [] });
  });
});

describe('liveness', () => {
  it('is advisory while the source is stale, and empty without a row', async () => {
    const source = surface({ table: 'sync.placement_arrival_by_cluster_v1' });
    const cluster = '14'.repeat(32);
    await service.pool.query(
      `delete from ingest.mirror using ingest.source where source.id = mirror.source and source.name = $1`,
      [source.table],
    );
    const seen = async () => {
      service.passTime(5_001);
      return [(await service.rows(source, { cluster })).liveness, await livenessOf(source)];
    };
    service.setStale(source);
    expect(await seen()).toEqual(['empty', 'empty']);
    await service.write(source, [rowOf(source, { cluster_id: cluster })]);
    expect(await seen()).toEqual(['advisory', 'advisory']);
    service.setStale();
    expect(await seen()).toEqual(['populated', 'populated']);
  });

  it('is measured for all surfaces at most every five seconds', async () => {
    const source = surface({ table: 'seen.radar_only_artists_v1' });
    service.passTime(5_001);
    expect(await livenessOf(source)).toBe('populated');
    await service.pool.query(
      `update ingest.mirror set row = null from ingest.source where source.id = mirror.source and source.name = $1`,
      [source.table],
    );
    service.passTime(4_999);
    expect(await livenessOf(source)).toBe('populated');
    service.passTime(2);
    expect(await livenessOf(source)).toBe('empty');
  });
});

describe('limit', () => {
  it('is the default of the surface, at most its cap, and at least one', async () => {
    await service.write(plays, playsOf(PAGED, 203));
    const lengthOf = async (limit?: string) =>
      (await service.rows(plays, { cluster: PAGED, ...(limit === undefined ? {} : { limit }) })).rows.length;
    expect(capOf(plays)).toEqual({ default: 50, max: 200 });
    expect(await lengthOf()).toBe(50);
    for (const [limit, length] of [
      ['1', 1],
      ['199', 199],
      ['200', 200],
      ['201', 200],
      ['9007199254740993', 200],
    ] as const)
      expect(await lengthOf(limit), limit).toBe(length);
  });

  it.each(['0', '-1', '1.5', 'ten', ''])('%j is rejected', async (limit) => {
    const rejection = await service.rejected(400, `${INDEX}/${plays.table}?cluster=${PAGED}&limit=${limit}`);
    expect(rejection).toMatchObject({ error: 'invalid_query', param: 'limit', details: [{ path: 'limit' }] });
  });
});

describe('a surface with one row per cluster', () => {
  it('ignores after and limit', async () => {
    const plain = await service.rows(momentum, { cluster: KNOWN });
    expect(plain.rows).toHaveLength(1);
    for (const query of ['limit=0', 'limit=ten', 'limit=200', 'after=forged', 'after=', 'limit=1&limit=2']) {
      const response = await service.get(`${INDEX}/${momentum.table}?cluster=${KNOWN}&${query}`);
      expect([response.statusCode, response.json()], query).toEqual([200, plain]);
    }
  });
});

it('responds to HEAD as to GET without a body, and lists its methods for OPTIONS', async () => {
  const app = await service.another();
  for (const path of [INDEX, `${INDEX}/${momentum.table}?cluster=${KNOWN}`]) {
    const got = await service.get(path, app);
    const head = await app.inject({
      method: 'HEAD',
      url: path,
      headers: { 'x-api-key': service.key() },
    });
    expect([head.statusCode, head.body]).toEqual([200, '']);
    for (const name of ['content-length', 'content-type', 'cache-control'])
      expect(head.headers[name], name).toBe(got.headers[name]);
    expect(head.headers['cache-control']).toBe('private, no-cache');
    expect(Number(head.headers['x-ratelimit-limit'])).toBeGreaterThan(0);
    const options = await app.inject({ method: 'OPTIONS', url: path });
    expect([options.statusCode, options.headers.allow]).toEqual([204, 'GET, HEAD, OPTIONS']);
  }
});

describe('rejections', () => {
  it.each([
    ['none', '', 'cluster'],
    ['an empty one', '?cluster=', 'cluster'],
    ['63 digits', `?cluster=${KNOWN.slice(1)}`, 'cluster'],
    ['65 digits', `?cluster=${KNOWN}a`, 'cluster'],
    ['no hex digit', `?cluster=${'g'.repeat(64)}`, 'cluster'],
    ['a line end', `?cluster=${KNOWN}%0A`, 'cluster'],
    ['two', `?cluster=${KNOWN}&cluster=${KNOWN}`, 'cluster'],
  ])('of a cluster: %s', async (_case, query, param) => {
    for (const source of [momentum, plays]) {
      const rejection = await service.rejected(400, `${INDEX}/${source.table}${query}`);
      expect(rejection).toMatchObject({ error: 'invalid_query', param });
    }
  });

  it.each([
    ['one like others', 'seen.unheard_of'],
    ['a source that is no surface', 'catalog.artist'],
    ['upper case', 'SEEN.ARTIST_MOMENTUM'],
    ['no schema', 'artist_momentum'],
    ['what every object has', 'toString'],
    ['a prototype', '__proto__'],
    ['NUL', '%00'],
    ['thousands of characters', 'a'.repeat(5_000)],
    ['nothing', ''],
  ])('of an unknown name: %s', async (_case, name) => {
    const rejection = await service.rejected(400, `${INDEX}/${name}`);
    expect(rejection).toMatchObject({
      error: 'unknown_surface',
      param: 'name',
      doc_url: `${BASE_URL}/docs/api#error-unknown_surface`,
      next: `${BASE_URL}/api/v2/surface`,
    });
    for (const { table } of surfaces) expect(rejection.hint).toContain(table);
  });

  it('without an API key', async () => {
    const app = await service.another();
    for (const path of [INDEX, `${INDEX}/${momentum.table}?cluster=${KNOWN}`]) {
      const response = await app.inject(path);
      expect([response.statusCode, response.json().error]).toEqual([401, 'missing_api_key']);
    }
  });
});
