import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import type { Pool } from 'pg';
import { beforeAll } from 'vitest';
import { artistMomentum } from '../../../projections/contracts/seen/artist-momentum.ts';
import { publishIndex } from '../../../projections/engine/published/publish-index.ts';
import { projections } from '../../../projections/index.ts';
import { auraIndex } from '../../../projections/models/aura/compute.ts';
import type { QueryParts } from '../../../services/query/parts.ts';
import { keepGeneration } from '../../../workers/jobs/search-generation/keep-generation.ts';
import { rowsOf } from '../rows/source-rows.ts';
import { withQueryService } from './service.ts';

export interface WholeService {
  readonly pool: Pool;
  app(): FastifyInstance;
  /** Another app on the same database, until the end of the test. */
  open(changed?: Partial<QueryParts>): Promise<FastifyInstance>;
  key(): Readonly<Record<string, string>>;
  /** Sends a request with the API key. */
  send(request: InjectOptions): Promise<LightMyRequestResponse>;
}

/** Runs the query service over every read model, with the signals of one artist, for one test file. */
export function withWholeService(changed: Partial<QueryParts> = {}): WholeService {
  const service = withQueryService({
    rows: [rowsOf(artistMomentum, {})],
    projections,
    parts: changed,
    tier: 'unlimited',
  });

  beforeAll(async () => {
    await keepGeneration(service.pool, { force: true });
    // Until the first snapshot is published, aura is degraded.
    const { signal } = new AbortController();
    await publishIndex(service.pool, service.registry(), auraIndex, { day: '2026-01-01', signal });
  });

  return {
    pool: service.pool,
    app: service.app,
    open: service.open,
    key: service.key,
    send: (request) =>
      service.app().inject({ ...request, headers: { ...service.key(), ...request.headers } }),
  };
}
