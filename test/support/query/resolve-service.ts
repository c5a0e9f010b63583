import type { LightMyRequestResponse } from 'fastify';
import type { Pool } from 'pg';
import { NO_LOCATORS } from '../../../projections/models/identity/identity.ts';
import { identityProjection } from '../../../projections/models/identity/project.ts';
import { recordingProjection } from '../../../projections/models/recording/project.ts';
import { ErrorBody } from '../../../services/http/errors.ts';
import { ResolveBatchResults } from '../../../services/query/resolve/batch.ts';
import { ResolveBody } from '../../../services/query/resolve/schema.ts';
import { validBody } from '../http/valid-body.ts';
import type { SourceRows } from '../rows/source-rows.ts';
import { withQueryService } from './service.ts';

type Body = Record<string, unknown>;

export interface ResolveService {
  readonly pool: Pool;
  readonly url: string;
  /** The response to a query, validated against the schema of the route. */
  resolve(query: Readonly<Record<string, string>>): Promise<Body>;
  /** The error of a query. */
  rejected(query: Readonly<Record<string, string>>): Promise<Body>;
  /** The results of a batch, validated against the schema of the route. */
  batch(locators: readonly unknown[]): Promise<Body[]>;
  post(payload: unknown, headers?: Readonly<Record<string, string>>): Promise<LightMyRequestResponse>;
}

/** The identity members of an unresolved locator. */
export const UNRESOLVED = {
  cluster_id: null,
  slug: null,
  display: null,
  locators: NO_LOCATORS,
  resolved_via: null,
};

/** Runs the query service over identities and recordings projected from the rows, for one test file. */
export function withResolve(...given: readonly SourceRows[]): ResolveService {
  const service = withQueryService({ rows: given, projections: [identityProjection, recordingProjection] });

  const request = (query: Readonly<Record<string, string>>): Promise<LightMyRequestResponse> =>
    service.app().inject({ url: '/api/v2/resolve', query: { ...query }, headers: service.key() });
  const post: ResolveService['post'] = (payload, headers = {}) =>
    service.app().inject({
      method: 'POST',
      url: '/api/v2/resolve/batch',
      headers: { ...service.key(), 'content-type': 'application/json', ...headers },
      payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
    });

  return {
    pool: service.pool,
    url: service.url,
    post,
    resolve: async (query) => validBody(await request(query), 200, ResolveBody),
    rejected: async (query) => validBody(await request(query), 400, ErrorBody),
    async batch(locators) {
      const { results } = validBody(await post({ locators }), 200, ResolveBatchResults);
      return results as Body[];
    },
  };
}
