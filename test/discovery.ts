import { FormatRegistry, type TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import type { Pool } from 'pg';
import { afterAll, beforeAll, expect } from 'vitest';
import { artistProjection } from '../projections/artist/project.ts';
import { type Publication, publishIndex } from '../projections/published/publish-index.ts';
import type { PublishedIndex } from '../projections/published/published-index.ts';
import { type Registry, registerSources } from '../projections/registry.ts';
import { ErrorBody } from '../services/query/errors.ts';
import type { QueryParts } from '../services/query/parts.ts';
import { rebuild } from '../workers/project/build-version.ts';
import { closed } from './closed-schema.ts';
import { keyHeader, queryApp } from './query-app.ts';
import { withDatabase } from './services/database.ts';

type Body = Record<string, unknown>;

export interface Discovery {
  readonly pool: Pool;
  readonly url: string;
  publish(index: PublishedIndex, day: string): Promise<Publication>;
  /** The answer of status 200, after it was held against the schema of the route. */
  get(path: string, schema: TSchema): Promise<Body>;
  /** The error of another status. */
  refused(path: string, status: number): Promise<Body>;
  ask(path: string): Promise<LightMyRequestResponse>;
  askWithoutKey(path: string): Promise<LightMyRequestResponse>;
  /** Another service on the same database, which the key opens too. */
  beside(changed: Partial<QueryParts>): Promise<Pick<Discovery, 'get' | 'refused'>>;
  passTime(ms: number): void;
}

/** Gives the test file the query service over artist dossiers of what `fill` puts into the mirror. */
export function withDiscovery(fill: (pool: Pool, registry: Registry) => Promise<void>): Discovery {
  const { pool, url } = withDatabase();
  const apps: FastifyInstance[] = [];
  let registry: Registry;
  let key: Record<string, string>;
  let passed = 0;

  async function open(changed: Partial<QueryParts> = {}): Promise<FastifyInstance> {
    const app = await queryApp(pool, { now: () => Date.now() + passed, ...changed });
    apps.push(app);
    return app;
  }
  const asker = (app: () => FastifyInstance) => (path: string) => app().inject({ url: path, headers: key });
  const first = (): FastifyInstance => {
    const [app] = apps;
    if (app === undefined) throw new Error('the service is not there yet');
    return app;
  };
  const ask = asker(first);

  beforeAll(async () => {
    for (const format of ['date-time', 'date']) FormatRegistry.Set(format, () => true);
    registry = await registerSources(pool);
    await fill(pool, registry);
    await rebuild(pool, artistProjection, registry);
    key = await keyHeader(pool);
    await open();
  });
  afterAll(async () => {
    for (const app of apps) await app.close();
  });

  return {
    pool,
    url,
    publish: (index, day) =>
      publishIndex(pool, registry, index, { day, signal: new AbortController().signal }),
    get: async (path, schema) => bodyOf(await ask(path), 200, schema),
    refused: async (path, status) => bodyOf(await ask(path), status, ErrorBody),
    ask,
    askWithoutKey: (path) => first().inject(path),
    async beside(changed) {
      const app = await open(changed);
      const askIt = asker(() => app);
      return {
        get: async (path, schema) => bodyOf(await askIt(path), 200, schema),
        refused: async (path, status) => bodyOf(await askIt(path), status, ErrorBody),
      };
    },
    passTime(ms) {
      passed += ms;
    },
  };
}

function bodyOf(answer: LightMyRequestResponse, status: number, schema: TSchema): Body {
  expect(answer.statusCode, answer.body).toBe(status);
  const body: Body = answer.json();
  expect([...Value.Errors(closed(schema), body)], answer.body).toEqual([]);
  return body;
}
