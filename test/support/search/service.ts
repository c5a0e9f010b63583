import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import type { Pool } from 'pg';
import { beforeAll } from 'vitest';
import type { Registry } from '../../../projections/engine/registry.ts';
import { searchProjection } from '../../../projections/models/search/project.ts';
import { ErrorBody } from '../../../services/http/errors.ts';
import type { QueryParts } from '../../../services/query/parts.ts';
import { FacetsBody } from '../../../services/query/search/facets.ts';
import { SearchBody } from '../../../services/query/search/schema.ts';
import { keepGeneration } from '../../../workers/jobs/search-generation/keep-generation.ts';
import { validBody } from '../http/valid-body.ts';
import { withQueryService } from '../query/service.ts';
import type { SourceRows } from '../rows/source-rows.ts';

type Body = Record<string, unknown>;
type Query = Readonly<Record<string, string | readonly string[]>>;

export interface SearchService {
  readonly pool: Pool;
  registry(): Registry;
  app(): FastifyInstance;
  /** @param path from the root, sent as it is */
  get(path: string): Promise<LightMyRequestResponse>;
  ask(query: Query, headers?: Readonly<Record<string, string>>): Promise<LightMyRequestResponse>;
  /** The answer to a search, after it was held against the schema of the route. */
  search(query: Query): Promise<SearchBody>;
  /** The ids of the results, in their order. */
  ids(query: Query): Promise<number[]>;
  /** The error of a search, with its status. */
  rejected(query: Query, status?: number): Promise<Body>;
  facets(): Promise<Body>;
}

/** Gives the test file the query service over a search index of the rows. */
export function withSearch(given: readonly SourceRows[], changed: Partial<QueryParts> = {}): SearchService {
  const service = withQueryService({
    rows: given,
    projections: [searchProjection],
    parts: changed,
    tier: 'unlimited',
  });
  const { pool, app, key, registry } = service;

  beforeAll(() => keepGeneration(pool, { force: true }));

  const get: SearchService['get'] = (path) => app().inject({ url: path, headers: key() });
  const ask: SearchService['ask'] = (query, headers = {}) => {
    const parameters = new URLSearchParams();
    for (const [name, values] of Object.entries(query))
      for (const value of [values].flat()) parameters.append(name, value);
    return app().inject({ url: `/api/v2/search?${parameters}`, headers: { ...key(), ...headers } });
  };
  const search: SearchService['search'] = async (query) => validBody(await ask(query), 200, SearchBody);

  return {
    pool,
    get,
    ask,
    search,
    registry,
    app,
    ids: async (query) => (await search(query)).results.map(({ master_id }) => master_id),
    rejected: async (query, status = 400) => validBody(await ask(query), status, ErrorBody),
    facets: async () => validBody(await get('/api/v2/facets'), 200, FacetsBody),
  };
}
