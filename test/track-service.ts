import type { TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import type { Pool } from 'pg';
import { afterAll, beforeAll, expect } from 'vitest';
import { mbTrackProjection } from '../projections/mb-track/project.ts';
import { registerSources } from '../projections/registry.ts';
import { storefrontTrackProjection } from '../projections/storefront-track/project.ts';
import { ErrorBody } from '../services/query/errors.ts';
import type { QueryParts } from '../services/query/parts.ts';
import { TracksBody, TracksResolveResults } from '../services/query/schemas/tracks.ts';
import { rebuild } from '../workers/project/build-version.ts';
import { closed } from './closed-schema.ts';
import { fillMirror } from './fill-mirror.ts';
import { keyHeader, queryApp } from './query-app.ts';
import type { SourceRows } from './rows/source-rows.ts';
import { withDatabase } from './services/database.ts';

type Query = Readonly<Record<string, string>>;

/** Requests to the track routes of one app; every answer was held against the schema of its route. */
export interface TrackRequests {
  tracks(query: Query): Promise<TracksBody>;
  resolveOne(query: Query): Promise<TracksResolveResults>;
  resolve(payload: object): Promise<TracksResolveResults>;
  /** The answer as it came. */
  send(request: InjectOptions): Promise<LightMyRequestResponse>;
  close(): Promise<void>;
}

export interface TrackService extends TrackRequests {
  readonly pool: Pool;
  readonly url: string;
  /** The requests to another app on the same data, with a key of its own that no limit stops where none is said. */
  open(changed: Partial<QueryParts>, tier?: string): Promise<TrackRequests>;
}

/** Gives the test file the query service over tracks made of the rows. */
export function withTracks(...given: readonly SourceRows[]): TrackService {
  const { pool, url } = withDatabase();
  let requests: TrackRequests;

  beforeAll(async () => {
    const registry = await registerSources(pool);
    await fillMirror(pool, registry, given);
    for (const projection of [mbTrackProjection, storefrontTrackProjection])
      await rebuild(pool, projection, registry);
    requests = await open({});
  });
  afterAll(() => requests.close());

  async function open(changed: Partial<QueryParts>, tier = 'unlimited'): Promise<TrackRequests> {
    const app = await queryApp(pool, changed);
    return requestsTo(app, await keyHeader(pool, tier));
  }

  return {
    pool,
    url,
    open,
    tracks: (query) => requests.tracks(query),
    resolveOne: (query) => requests.resolveOne(query),
    resolve: (payload) => requests.resolve(payload),
    send: (request) => requests.send(request),
    close: () => requests.close(),
  };
}

function requestsTo(app: FastifyInstance, key: Query): TrackRequests {
  const send = (request: InjectOptions): Promise<LightMyRequestResponse> =>
    app.inject({ ...request, headers: { ...key, ...request.headers } });
  return {
    send,
    close: async () => {
      await app.close();
    },
    tracks: async (query) => bodyOf(await send({ url: '/api/v2/tracks', query }), TracksBody),
    resolveOne: async (query) =>
      bodyOf(await send({ url: '/api/v2/tracks/resolve', query }), TracksResolveResults),
    resolve: async (payload) =>
      bodyOf(await send({ method: 'POST', url: '/api/v2/tracks/resolve', payload }), TracksResolveResults),
  };
}

function bodyOf<Body>(answer: LightMyRequestResponse, schema: TSchema & { static: Body }): Body {
  expect(answer.statusCode, answer.body).toBe(200);
  return checked(answer, schema) as Body;
}

/** The refusal of a request. */
export function refusalOf(answer: LightMyRequestResponse, status: number): Record<string, unknown> {
  expect(answer.statusCode, answer.body).toBe(status);
  return checked(answer, ErrorBody) as Record<string, unknown>;
}

function checked(answer: LightMyRequestResponse, schema: TSchema): unknown {
  const body: unknown = answer.json();
  expect([...Value.Errors(closed(schema), body)], answer.body).toEqual([]);
  return body;
}
