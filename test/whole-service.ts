import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import type { Pool } from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { projections } from '../projections/index.ts';
import { registerSources } from '../projections/registry.ts';
import { artistMomentum } from '../projections/sources/seen/artist-momentum.ts';
import type { QueryParts } from '../services/query/parts.ts';
import { keepGeneration } from '../workers/jobs/search-generation/keep-generation.ts';
import { rebuild } from '../workers/project/build-version.ts';
import { fillMirror } from './fill-mirror.ts';
import { keyHeader, queryApp } from './query-app.ts';
import { rowsOf } from './rows/source-rows.ts';
import { withDatabase } from './services/database.ts';

export interface WholeService {
  readonly pool: Pool;
  app(): FastifyInstance;
  key(): Readonly<Record<string, string>>;
  /** Sends a request with a key. */
  send(request: InjectOptions): Promise<LightMyRequestResponse>;
}

/** Gives the test file a service whose every read model is there, of the signals of one artist. */
export function withWholeService(changed: Partial<QueryParts> = {}): WholeService {
  const { pool } = withDatabase();
  let app: FastifyInstance;
  let key: Record<string, string>;

  beforeAll(async () => {
    const registry = await registerSources(pool);
    await fillMirror(pool, registry, [rowsOf(artistMomentum, {})]);
    for (const projection of projections) await rebuild(pool, projection, registry);
    await keepGeneration(pool, { force: true });
    app = await queryApp(pool, changed);
    await app.ready();
    key = await keyHeader(pool, 'unlimited');
  });
  afterAll(() => app.close());

  return {
    pool,
    app: () => app,
    key: () => key,
    send: (request) => app.inject({ ...request, headers: { ...key, ...request.headers } }),
  };
}
