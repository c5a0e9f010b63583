import type { TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import type { Pool } from 'pg';
import { afterAll, beforeAll, expect } from 'vitest';
import { identityProjection } from '../projections/identity/project.ts';
import { recordingProjection } from '../projections/recording/project.ts';
import { registerSources } from '../projections/registry.ts';
import { ErrorBody } from '../services/query/errors.ts';
import { ResolveBatchResults, ResolveBody } from '../services/query/schemas/resolve.ts';
import { rebuild } from '../workers/project/build-version.ts';
import { closed } from './closed-schema.ts';
import { fillMirror } from './fill-mirror.ts';
import { keyHeader, queryApp } from './query-app.ts';
import type { SourceRows } from './rows/source-rows.ts';
import { withDatabase } from './services/database.ts';

type Body = Record<string, unknown>;

export interface ResolveService {
  readonly pool: Pool;
  readonly url: string;
  /** The answer to a query, after it was held against the schema of the route. */
  resolve(query: Readonly<Record<string, string>>): Promise<Body>;
  /** The refusal of a query. */
  refused(query: Readonly<Record<string, string>>): Promise<Body>;
  /** The results of a batch, after they were held against the schema of the route. */
  batch(locators: readonly unknown[]): Promise<Body[]>;
  post(payload: unknown, headers?: Readonly<Record<string, string>>): Promise<LightMyRequestResponse>;
}

/** What is answered of nobody. */
export const NOBODY = {
  cluster_id: null,
  slug: null,
  display: null,
  locators: {
    catalog: null,
    mbid: null,
    storefront: [],
    audioshare: [],
    photoshare: [],
    streaming: [],
    videoshare: [],
    website: [],
  },
  resolved_via: null,
};

/** Gives the test file the query service over identities and recordings made of the rows. */
export function withResolve(...given: readonly SourceRows[]): ResolveService {
  const { pool, url } = withDatabase();
  let app: FastifyInstance;
  let key: Record<string, string>;

  beforeAll(async () => {
    const registry = await registerSources(pool);
    await fillMirror(pool, registry, given);
    for (const projection of [identityProjection, recordingProjection])
      await rebuild(pool, projection, registry);
    app = await queryApp(pool);
    key = await keyHeader(pool);
    // The first request verifies the key, which no later one has to do again.
    await ask({ q: 'nobody' });
  });
  afterAll(() => app.close());

  const ask = (query: Readonly<Record<string, string>>): Promise<LightMyRequestResponse> =>
    app.inject({ url: '/api/v2/resolve', query: { ...query }, headers: key });
  const post: ResolveService['post'] = (payload, headers = {}) =>
    app.inject({
      method: 'POST',
      url: '/api/v2/resolve/batch',
      headers: { ...key, 'content-type': 'application/json', ...headers },
      payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
    });

  return {
    pool,
    url,
    post,
    resolve: async (query) => bodyOf(await ask(query), 200, ResolveBody),
    refused: async (query) => bodyOf(await ask(query), 400, ErrorBody),
    async batch(locators) {
      const { results } = bodyOf(await post({ locators }), 200, ResolveBatchResults);
      return results as Body[];
    },
  };
}

function bodyOf(answer: LightMyRequestResponse, status: number, schema: TSchema): Body {
  expect(answer.statusCode, answer.body).toBe(status);
  const body: Body = answer.json();
  expect([...Value.Errors(closed(schema), body)], answer.body).toEqual([]);
  return body;
}
