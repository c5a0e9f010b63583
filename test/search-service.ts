import { FormatRegistry, type TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import type { Pool } from 'pg';
import { afterAll, beforeAll, expect } from 'vitest';
import { type Registry, registerSources } from '../projections/registry.ts';
import { searchProjection } from '../projections/search/project.ts';
import { ErrorBody } from '../services/query/errors.ts';
import type { QueryParts } from '../services/query/parts.ts';
import { FacetsBody, SearchBody } from '../services/query/schemas/search.ts';
import { keepGeneration } from '../workers/jobs/search-generation/keep-generation.ts';
import { rebuild } from '../workers/project/build-version.ts';
import { closed } from './closed-schema.ts';
import { fillMirror } from './fill-mirror.ts';
import { keyHeader, queryApp } from './query-app.ts';
import type { SourceRows } from './rows/source-rows.ts';
import { withDatabase } from './services/database.ts';

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
  /** The refusal of a search, with its status. */
  refused(query: Query, status?: number): Promise<Body>;
  facets(): Promise<Body>;
}

/** Gives the test file the query service over a search index of the rows. */
export function withSearch(given: readonly SourceRows[], changed: Partial<QueryParts> = {}): SearchService {
  const { pool } = withDatabase();
  let app: FastifyInstance;
  let registry: Registry;
  let key: Record<string, string>;

  beforeAll(async () => {
    for (const format of ['date-time', 'uuid'])
      FormatRegistry.Set(format, (text) =>
        format === 'uuid' ? UUID.test(text) : !Number.isNaN(Date.parse(text)),
      );
    registry = await registerSources(pool);
    await fillMirror(pool, registry, given);
    await rebuild(pool, searchProjection, registry);
    await keepGeneration(pool, { force: true });
    app = await queryApp(pool, changed);
    key = await keyHeader(pool, 'unlimited');
  });
  afterAll(() => app.close());

  const get: SearchService['get'] = (path) => app.inject({ url: path, headers: key });
  const ask: SearchService['ask'] = (query, headers = {}) => {
    const parameters = new URLSearchParams();
    for (const [name, values] of Object.entries(query))
      for (const value of [values].flat()) parameters.append(name, value);
    return app.inject({ url: `/api/v2/search?${parameters}`, headers: { ...key, ...headers } });
  };
  const search: SearchService['search'] = async (query) =>
    bodyOf(await ask(query), 200, SearchBody) as unknown as SearchBody;

  return {
    pool,
    get,
    ask,
    search,
    registry: () => registry,
    app: () => app,
    ids: async (query) => (await search(query)).results.map(({ master_id }) => master_id),
    refused: async (query, status = 400) => bodyOf(await ask(query), status, ErrorBody),
    facets: async () => bodyOf(await get('/api/v2/facets'), 200, FacetsBody),
  };
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function bodyOf(answer: LightMyRequestResponse, status: number, schema: TSchema): Body {
  expect(answer.statusCode, answer.body).toBe(status);
  const body: Body = answer.json();
  expect([...Value.Errors(closed(schema), body)], answer.body).toEqual([]);
  return body;
}
