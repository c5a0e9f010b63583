import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import type { Pool } from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { mbTrackProjection } from '../../../projections/models/mb-track/project.ts';
import { storefrontTrackProjection } from '../../../projections/models/storefront-track/project.ts';
import { ErrorBody } from '../../../services/http/errors.ts';
import type { QueryParts } from '../../../services/query/parts.ts';
import { TracksResolveResults } from '../../../services/query/tracks/resolve-tracks.ts';
import { TracksBody } from '../../../services/query/tracks/tracks.ts';
import { validBody } from '../http/valid-body.ts';
import type { SourceRows } from '../rows/source-rows.ts';
import { keyHeader, queryApp } from './app.ts';
import { withQueryService } from './service.ts';

type Query = Readonly<Record<string, string>>;

/** Requests to the track routes of one app. Every response is validated against the schema of its route. */
export interface TrackRequests {
  tracks(query: Query): Promise<TracksBody>;
  resolveOne(query: Query): Promise<TracksResolveResults>;
  resolve(payload: object): Promise<TracksResolveResults>;
  /** The raw response. */
  send(request: InjectOptions): Promise<LightMyRequestResponse>;
  close(): Promise<void>;
}

export interface TrackService extends TrackRequests {
  readonly pool: Pool;
  readonly url: string;
  /** Requests to another app on the same data, with an API key of its own (default tier: unlimited). */
  open(changed: Partial<QueryParts>, tier?: string): Promise<TrackRequests>;
}

/** Runs the query service over tracks projected from the rows, for one test file. */
export function withTracks(...given: readonly SourceRows[]): TrackService {
  const service = withQueryService({
    rows: given,
    projections: [mbTrackProjection, storefrontTrackProjection],
  });
  const { pool, url } = service;
  let requests: TrackRequests;

  beforeAll(async () => {
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
    tracks: async (query) => validBody(await send({ url: '/api/v2/tracks', query }), 200, TracksBody),
    resolveOne: async (query) =>
      validBody(await send({ url: '/api/v2/tracks/resolve', query }), 200, TracksResolveResults),
    resolve: async (payload) =>
      validBody(
        await send({ method: 'POST', url: '/api/v2/tracks/resolve', payload }),
        200,
        TracksResolveResults,
      ),
  };
}

/** The error body of a request. */
export function validError(response: LightMyRequestResponse, status: number): Record<string, unknown> {
  return validBody(response, status, ErrorBody);
}
