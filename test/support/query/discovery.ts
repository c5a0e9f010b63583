import type { TSchema } from '@sinclair/typebox';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import type { Pool } from 'pg';
import { type PublishResult, publishIndex } from '../../../projections/engine/published/publish-index.ts';
import type { PublishedIndex } from '../../../projections/engine/published/published-index.ts';
import type { Registry } from '../../../projections/engine/registry.ts';
import { artistProjection } from '../../../projections/models/artist/project.ts';
import { ErrorBody } from '../../../services/http/errors.ts';
import type { QueryParts } from '../../../services/query/parts.ts';
import { validBody } from '../http/valid-body.ts';
import { withQueryService } from './service.ts';

type Body = Record<string, unknown>;

export interface Discovery {
  readonly pool: Pool;
  readonly url: string;
  publish(index: PublishedIndex, day: string): Promise<PublishResult>;
  /** The response with status 200, validated against the schema of the route. */
  get(path: string, schema: TSchema & { static: Body }): Promise<Body>;
  /** The error of another status. */
  rejected(path: string, status: number): Promise<Body>;
  ask(path: string): Promise<LightMyRequestResponse>;
  askWithoutKey(path: string): Promise<LightMyRequestResponse>;
  /** Another service on the same database, with the same API key, until the end of the test. */
  beside(changed: Partial<QueryParts>): Promise<Pick<Discovery, 'get' | 'rejected'>>;
  /** Stops the clock of the service at a time, in milliseconds since 1970. */
  setTime(ms: number): void;
}

/** Runs the query service over artist dossiers of the rows that `fill` writes, for one test file. */
export function withDiscovery(fill: (pool: Pool, registry: Registry) => Promise<void>): Discovery {
  let stoppedAt: number | null = null;
  const service = withQueryService({
    fill,
    projections: [artistProjection],
    parts: { now: () => stoppedAt ?? Date.now() },
  });
  const { pool } = service;
  const requester = (app: () => FastifyInstance) => (path: string) =>
    app().inject({ url: path, headers: service.key() });
  const ask = requester(service.app);

  return {
    pool,
    url: service.url,
    publish: (index, day) =>
      publishIndex(pool, service.registry(), index, { day, signal: new AbortController().signal }),
    get: async (path, schema) => validBody(await ask(path), 200, schema),
    rejected: async (path, status) => validBody(await ask(path), status, ErrorBody),
    ask,
    askWithoutKey: (path) => service.app().inject(path),
    async beside(changed) {
      const app = await service.open(changed);
      const askIt = requester(() => app);
      return {
        get: async (path, schema) => validBody(await askIt(path), 200, schema),
        rejected: async (path, status) => validBody(await askIt(path), status, ErrorBody),
      };
    },
    setTime(ms) {
      stoppedAt = ms;
    },
  };
}
