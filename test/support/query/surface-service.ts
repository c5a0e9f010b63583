import { type TSchema, TypeRegistry } from '@sinclair/typebox';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import type { Pool } from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { textArray } from '../../../db/arrays.ts';
import type { SurfaceSource } from '../../../projections/contracts/surfaces.ts';
import { type Registry, registerSources } from '../../../projections/engine/registry.ts';
import { ErrorBody } from '../../../services/http/errors.ts';
import { stalenessOf } from '../../../services/query/dossier/staleness.ts';
import type { QueryParts } from '../../../services/query/parts.ts';
import { surfaceRowSchema, surfaceRowsBody } from '../../../services/query/surfaces/schema.ts';
import { decoderOf } from '../../../workers/ingest/decode/row-decoder.ts';
import { validBody } from '../http/valid-body.ts';
import { withDatabase } from '../services/database.ts';
import { keyHeader, queryApp } from './app.ts';

export type SurfaceTestRow = Readonly<Record<string, unknown>>;

/** A response with rows of a surface. */
export interface SurfaceRowsResponse {
  readonly object: string;
  readonly surface: string;
  readonly present: boolean;
  readonly state: string;
  readonly keyspace: string;
  readonly liveness: string;
  readonly rows: SurfaceTestRow[];
  readonly next_after: string | null;
  readonly coverage_note: string;
  readonly degraded_reason: string | null;
  readonly generated_at: string;
}

type Query = Readonly<Record<string, string>>;

export interface SurfaceService {
  readonly pool: Pool;
  readonly url: string;
  /** The API key that opens keyed routes. */
  key(): string;
  /** The service's clock, in milliseconds since 1970. Only `passTime` advances it. */
  now(): number;
  passTime(ms: number): void;
  /** Puts rows into the mirror as ingest would. */
  write(source: SurfaceSource, rows: readonly SurfaceTestRow[]): Promise<void>;
  /** Makes only these sources stale. */
  setStale(...sources: readonly SurfaceSource[]): void;
  /** One more service on the same database and clock. */
  another(changed?: Partial<QueryParts>): Promise<FastifyInstance>;
  get(path: string, app?: FastifyInstance): Promise<LightMyRequestResponse>;
  /** The response of a surface, validated against its contract. */
  rows(source: SurfaceSource, query: Query, app?: FastifyInstance): Promise<SurfaceRowsResponse>;
  /** The error of a request. */
  rejected(status: number, path: string, app?: FastifyInstance): Promise<SurfaceTestRow>;
}

TypeRegistry.Set<TSchema>(
  'Unsafe',
  ({ enum: values }, value) => values === undefined || values.includes(value),
);

/** Runs the query service over surfaces that are empty at first, for one test file. */
export function withSurfaces(): SurfaceService {
  const { pool, url } = withDatabase();
  const apps: FastifyInstance[] = [];
  let clock = Date.now();
  let staleness = stalenessOf([]);
  let registry: Registry;
  let key: { 'x-api-key': string };

  const another: SurfaceService['another'] = async (changed = {}) => {
    const app = await queryApp(pool, { now: () => clock, staleness: () => staleness, ...changed });
    apps.push(app);
    return app;
  };
  beforeAll(async () => {
    registry = await registerSources(pool);
    key = await keyHeader(pool);
    await another();
  });
  afterAll(async () => {
    for (const app of apps) await app.close();
  });

  const get: SurfaceService['get'] = async (path, app = apps[0]) => {
    if (app === undefined) throw new Error('the service has not started yet');
    return await app.inject({ url: path, headers: key });
  };

  return {
    pool,
    url,
    another,
    get,
    key: () => key['x-api-key'],
    now: () => clock,
    passTime(ms) {
      clock += ms;
    },
    setStale(...sources) {
      staleness = stalenessOf(sources.map(registry.idOf));
    },
    write: (source, rows) => writeRows(pool, registry, source, rows),
    async rows(source, query, app) {
      const response = await get(`/api/v2/surface/${source.table}?${new URLSearchParams(query)}`, app);
      return validBody(
        response,
        200,
        surfaceRowsBody(surfaceRowSchema(source)),
      ) as unknown as SurfaceRowsResponse;
    },
    rejected: async (status, path, app) => validBody(await get(path, app), status, ErrorBody),
  };
}

async function writeRows(
  pool: Pool,
  registry: Registry,
  source: SurfaceSource,
  rows: readonly SurfaceTestRow[],
): Promise<void> {
  const decoded = rows.map((row) => {
    const one = decoderOf(source).decodeRow(row);
    if (one.violations !== null) throw new Error(`${source.table}: ${JSON.stringify(one.violations)}`);
    return one;
  });
  const id = registry.idOf(source);
  await pool.query(
    'update ingest.source set first_change_at = now(), newest_change_at = now() where id = $1',
    [id],
  );
  await pool.query(
    `insert into ingest.mirror (source, key, subject, order_key, row, version, source_time, changed_time)
     select $1, key, subject, order_key, row, '1', now(), now()
     from unnest($2::text[], $3::text[], $4::text[], $5::text[]) written (key, subject, order_key, row)
     on conflict (source, key) do update
     set subject = excluded.subject, order_key = excluded.order_key, row = excluded.row`,
    [
      id,
      textArray(decoded.map((one) => one.key)),
      textArray(decoded.map((one) => one.subject)),
      textArray(decoded.map((one) => one.orderKey)),
      textArray(decoded.map((one) => one.row)),
    ],
  );
}
