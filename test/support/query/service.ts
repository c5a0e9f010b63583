import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import type { Pool } from 'pg';
import { afterAll, afterEach, beforeAll } from 'vitest';
import type { Source } from '../../../projections/contracts/contract.ts';
import type { Projection } from '../../../projections/engine/projection.ts';
import { type Registry, registerSources } from '../../../projections/engine/registry.ts';
import { type Staleness, stalenessOf } from '../../../services/query/dossier/staleness.ts';
import type { QueryParts } from '../../../services/query/parts.ts';
import { fillMirror } from '../ingest/fill-mirror.ts';
import { rebuild } from '../projections/rebuild.ts';
import type { SourceRows } from '../rows/source-rows.ts';
import { withDatabase } from '../services/database.ts';
import { keyHeader, queryApp } from './app.ts';

interface QueryServiceOptions {
  readonly rows?: readonly SourceRows[];
  /** Fills the database after the rows, before the projections are rebuilt. */
  readonly fill?: (pool: Pool, registry: Registry) => Promise<unknown>;
  /** Rebuilt from the rows, in this order. */
  readonly projections?: readonly Projection[];
  /** The parts of every app that differ from those of `queryApp`. */
  readonly parts?: Partial<QueryParts>;
  /** Of the API key (default: standard). */
  readonly tier?: string;
}

export interface TestQueryService {
  readonly pool: Pool;
  readonly url: string;
  app(): FastifyInstance;
  /** Another app on the same database, until the end of the test. */
  open(changed?: Partial<QueryParts>): Promise<FastifyInstance>;
  registry(): Registry;
  /** The header of an API key. */
  key(): { 'x-api-key': string };
  /** Sends a GET request with the API key. */
  get(url: string, headers?: Readonly<Record<string, string>>): Promise<LightMyRequestResponse>;
  /** Makes only these sources stale, until the end of the test. */
  setStale(...sources: readonly Source[]): void;
}

/** Runs the query service over read models projected from rows, for one test file or one `describe`. */
export function withQueryService({
  rows = [],
  fill,
  projections = [],
  parts = {},
  tier = 'standard',
}: QueryServiceOptions = {}): TestQueryService {
  const { pool, url } = withDatabase();
  let app: FastifyInstance;
  let registry: Registry;
  let key: { 'x-api-key': string };
  let staleness: Staleness = stalenessOf([]);
  const opened: FastifyInstance[] = [];

  const get: TestQueryService['get'] = (path, headers = {}) =>
    app.inject({ url: path, headers: { ...key, ...headers } });

  const start = (changed: Partial<QueryParts> = {}) =>
    queryApp(pool, { staleness: () => staleness, ...parts, ...changed });

  beforeAll(async () => {
    registry = await registerSources(pool);
    await fillMirror(pool, registry, rows);
    await fill?.(pool, registry);
    for (const projection of projections) await rebuild(pool, projection, registry);
    app = await start();
    key = await keyHeader(pool, tier);
    // The first request verifies the API key, so that later ones need no query for it.
    await get('/api/v2/usage');
  });
  afterAll(() => app.close());
  afterEach(async () => {
    staleness = stalenessOf([]);
    for (const other of opened.splice(0)) await other.close();
  });

  return {
    pool,
    url,
    get,
    app: () => app,
    async open(changed) {
      const other = await start(changed);
      opened.push(other);
      return other;
    },
    registry: () => registry,
    key: () => key,
    setStale(...sources) {
      staleness = stalenessOf(sources.map(registry.idOf));
    },
  };
}
