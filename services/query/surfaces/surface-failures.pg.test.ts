import type { FastifyInstance } from 'fastify';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type SurfaceSource, surfaceByName } from '../../../projections/contracts/surfaces.ts';
import { BASE_URL } from '../../../test/support/query/app.ts';
import { type SurfaceTestRow, withSurfaces } from '../../../test/support/query/surface-service.ts';
import { rowsOf } from '../../../test/support/rows/source-rows.ts';
import { runOps } from '../../../test/support/run-ops.ts';

const service = withSurfaces();
const INDEX = '/api/v2/surface';
const KNOWN = 'ab'.repeat(32);
const SWITCH_MS = 1_000;
const surface = (name: string): SurfaceSource => {
  const found = surfaceByName.get(name);
  if (found === undefined) throw new Error(`there is no surface ${name}`);
  return found;
};
const momentum = surface('seen.artist_momentum');
const champions = surface('seen.dj_champion');
const read = (source: SurfaceSource): string => `${INDEX}/${source.table}?cluster=${KNOWN}`;
const rowsOfKnown = (source: SurfaceSource, count: number): SurfaceTestRow[] =>
  Array.from({ length: count }, (_, index) => ({
    ...rowsOf(source, {}).rows[0],
    cluster_id: KNOWN,
    ...(source === champions ? { dj_cluster_id: String(index).repeat(64) } : {}),
  }));

beforeAll(async () => {
  await service.write(momentum, rowsOfKnown(momentum, 1));
  await service.write(champions, rowsOfKnown(champions, 3));
});

describe('switches', () => {
  let apps: readonly FastifyInstance[];

  beforeAll(async () => {
    apps = [await service.another(), await service.another()];
  });
  beforeEach(() => {
    vi.stubEnv('DATABASE_URL', service.url);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  async function turn(...argv: string[]): Promise<void> {
    const { code, complaints } = await runOps('surfaces', ...argv);
    expect([code, complaints]).toEqual([0, []]);
  }

  /** The response of each process to a read: its status, and the code of an error. */
  const responses = (source: SurfaceSource): Promise<unknown[]> =>
    Promise.all(
      apps.map(async (app) => {
        const response = await service.get(read(source), app);
        return [response.statusCode, response.json().error];
      }),
    );
  const enabled = async (): Promise<string[]> => {
    const { surfaces } = (await service.get(INDEX, apps[0])).json();
    return surfaces.flatMap((row: SurfaceTestRow) => (row.enabled ? [row.name] : []));
  };
  const OK = [200, undefined];

  it('disable and enable one surface in all processes within a second', async () => {
    expect(await responses(champions)).toEqual([OK, OK]);
    await turn('disable', champions.table, '--why', 'rights');
    service.passTime(SWITCH_MS);
    expect(await responses(champions)).toEqual(Array(2).fill([404, 'surface_disabled']));
    expect(await responses(momentum)).toEqual([OK, OK]);
    expect(await service.rejected(404, read(champions), apps[0])).toEqual({
      error: 'surface_disabled',
      message: 'The surface seen.dj_champion is disabled.',
      hint: expect.any(String),
      doc_url: `${BASE_URL}/docs/api#error-surface_disabled`,
      param: 'name',
      next: `${BASE_URL}/api/v2/surface`,
    });
    expect(await enabled()).toHaveLength(43);
    expect(await enabled()).not.toContain(champions.table);
    await turn('enable', champions.table);
    service.passTime(SWITCH_MS);
    expect(await responses(champions)).toEqual([OK, OK]);
    expect(await enabled()).toHaveLength(44);
  });

  it('disable all surfaces, which the index shows', async () => {
    await turn('disable', '--all', '--why', 'incident');
    service.passTime(SWITCH_MS);
    expect(await responses(champions)).toEqual(Array(2).fill([503, 'surfaces_disabled']));
    expect(await responses(momentum)).toEqual(Array(2).fill([503, 'surfaces_disabled']));
    expect(await enabled()).toEqual([]);
    expect(await service.rejected(400, `${INDEX}/seen.unheard_of?cluster=${KNOWN}`, apps[0])).toMatchObject({
      error: 'unknown_surface',
    });
    await turn('enable', '--all');
    service.passTime(SWITCH_MS);
    expect(await responses(champions)).toEqual([OK, OK]);
    expect(await enabled()).toHaveLength(44);
  });

  it('keep their last known state while they cannot be read', async () => {
    const watchPool = new pg.Pool({ connectionString: service.url, max: 1 });
    const app = await service.another({ watchPool });
    await turn('disable', champions.table, '--why', 'rights');
    expect((await service.get(read(champions), app)).statusCode).toBe(404);
    await watchPool.end();
    service.passTime(SWITCH_MS);
    expect((await service.get(read(champions), app)).statusCode).toBe(404);
    expect((await service.get(read(momentum), app)).statusCode).toBe(200);
    await turn('enable', champions.table);
  });
});

describe('a read that fails', () => {
  const role = `reader_${process.pid}_${Date.now().toString(36)}`;
  const pools: pg.Pool[] = [];

  const poolOf = (options: pg.PoolConfig): pg.Pool => {
    const pool = new pg.Pool({ connectionString: service.url, max: 1, ...options });
    pools.push(pool);
    return pool;
  };
  beforeAll(async () => {
    await service.pool.query(`create role ${role}`);
  });
  afterAll(async () => {
    for (const pool of pools) await pool.end();
    await service.pool.query(`drop owned by ${role}; drop role ${role}`);
  });

  const degraded = (source: SurfaceSource, reason: string) => ({
    object: 'surface.rows',
    surface: source.table,
    present: false,
    state: 'degraded',
    keyspace: 'pe-norm-v1-artist',
    liveness: 'advisory',
    rows: [],
    next_after: null,
    coverage_note: expect.any(String),
    degraded_reason: reason,
    generated_at: expect.any(String),
  });

  async function expectDegraded(app: FastifyInstance, reason: string): Promise<void> {
    for (const source of [momentum, champions])
      expect(await service.rows(source, { cluster: KNOWN }, app)).toEqual(degraded(source, reason));
  }
  async function indexOf(app: FastifyInstance): Promise<{ state: string; surfaces: SurfaceTestRow[] }> {
    const response = await service.get(INDEX, app);
    expect(response.statusCode).toBe(200);
    return response.json();
  }

  it('for a missing grant returns no rows, until it is granted', async () => {
    const app = await service.another({ surfacePool: poolOf({ options: `-c role=${role}` }) });
    await expectDegraded(app, 'not_granted');
    const index = await indexOf(app);
    expect(index.state).toBe('degraded');
    expect(new Set(index.surfaces.map(({ liveness }) => liveness))).toEqual(new Set(['advisory']));
    await service.pool.query(
      `grant usage on schema ingest to ${role}; grant select on all tables in schema ingest to ${role}`,
    );
    expect((await service.rows(champions, { cluster: KNOWN }, app)).rows).toHaveLength(3);
    expect((await indexOf(app)).state).toBe('present');
  });

  it('for a missing table returns no rows; the index keeps the last measurement', async () => {
    const app = await service.another();
    const before = await indexOf(app);
    expect(before.state).toBe('present');
    await service.pool.query('alter table ingest.mirror rename to elsewhere');
    try {
      service.passTime(5_000);
      await expectDegraded(app, 'not_migrated');
      const index = await indexOf(app);
      expect(index.state).toBe('degraded');
      expect(index.surfaces).toEqual(before.surfaces);
    } finally {
      await service.pool.query('alter table ingest.elsewhere rename to mirror');
    }
    expect((await service.rows(champions, { cluster: KNOWN }, app)).state).toBe('present');
  });

  it('is reported if the switches were never read', async () => {
    await service.pool.query('alter table operation.surface_off rename to elsewhere');
    try {
      const app = await service.another();
      await expectDegraded(app, 'not_migrated');
      const index = await indexOf(app);
      expect(index.state).toBe('degraded');
      expect(index.surfaces.every(({ enabled }) => enabled)).toBe(true);
    } finally {
      await service.pool.query('alter table operation.elsewhere rename to surface_off');
    }
  });

  it('is reported if the cursor secret cannot be read, on paged surfaces only', async () => {
    await service.pool.query('alter table access.secret rename to elsewhere');
    try {
      const app = await service.another();
      expect(await service.rows(champions, { cluster: KNOWN }, app)).toEqual(
        degraded(champions, 'not_migrated'),
      );
      expect((await service.rows(momentum, { cluster: KNOWN }, app)).state).toBe('present');
    } finally {
      await service.pool.query('alter table access.elsewhere rename to secret');
    }
  });

  it('is logged with its reason', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
    const app = await service.another({ log });
    await service.pool.query('alter table ingest.mirror rename to elsewhere');
    try {
      await service.rows(momentum, { cluster: KNOWN }, app);
    } finally {
      await service.pool.query('alter table ingest.elsewhere rename to mirror');
    }
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ reason: 'not_migrated', what: 'surface', err: expect.anything() }),
    ]);
  });
});

describe('statements', () => {
  it('are one per read and one for the index, each using a database index', async () => {
    const app = await service.another();
    // The switches, the cursor secret and the key are read once, not by every request.
    await service.rows(champions, { cluster: KNOWN }, app);
    const { next_after } = await service.rows(champions, { cluster: KNOWN, limit: '1' }, app);
    const paths = [
      read(momentum),
      read(champions),
      `${read(champions)}&limit=1&after=${next_after}`,
      `${INDEX}/${champions.table}?cluster=${'99'.repeat(32)}`,
      INDEX,
    ];
    const statements = vi.spyOn(pg.Client.prototype, 'query');
    const sent: pg.QueryConfig[] = [];
    try {
      for (const path of paths) {
        statements.mockClear();
        expect((await service.get(path, app)).statusCode).toBe(200);
        expect(statements, path).toHaveBeenCalledTimes(1);
        sent.push(statements.mock.calls[0]?.[0] as unknown as pg.QueryConfig);
      }
      statements.mockClear();
      await service.get(INDEX, app);
      expect(statements).not.toHaveBeenCalled();
    } finally {
      statements.mockRestore();
    }
    for (const { text, values } of sent) {
      const plan = await planOf(text, values ?? []);
      expect(plan).not.toContain('Seq Scan');
      expect(plan).toMatch(/Limit .*\n\s+-> +Index (?:Only )?Scan using mirror_/);
    }
  });

  /** The plan for a table too large for a full scan. */
  async function planOf(text: string, values: unknown[]): Promise<string> {
    const client = await service.pool.connect();
    try {
      await client.query('begin; set local enable_seqscan = off; set local enable_bitmapscan = off');
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values);
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    } finally {
      await client.query('rollback');
      client.release();
    }
  }
});
