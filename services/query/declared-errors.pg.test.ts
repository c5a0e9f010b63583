import type { InjectOptions } from 'fastify';
import { beforeAll, expect, it, vi } from 'vitest';
import { committedDocument, listOperations } from '../../test/support/openapi/committed-document.ts';
import type { OperationObject, Reference } from '../../test/support/openapi/document.ts';
import { withQueryService } from '../../test/support/query/service.ts';
import { runOps } from '../../test/support/run-ops.ts';
import type { ErrorCode } from '../http/errors.ts';
import { beaconTokens } from './search-events/tokens.ts';

const EVENT = '0f0e0d0c-0b0a-4908-8706-050403020100';
const OTHER_EVENT = '0f0e0d0c-0b0a-4908-8706-050403020199';
const ROWS = `seen.radio_play_v1?cluster=${'ab'.repeat(32)}`;
const DISABLED = `seen.dj_champion?cluster=${'ab'.repeat(32)}`;
const NOW = Date.UTC(2026, 0, 31, 12);

const beacons = beaconTokens({ secret: 'the secret of these beacons, of 32 bytes', now: () => NOW });
const { app, key, url } = withQueryService({ parts: { beacons, now: () => NOW }, tier: 'unlimited' });
let authorization: string;

beforeAll(async () => {
  authorization = `Bearer ${(await beacons.issue(EVENT)).token}`;
  vi.stubEnv('DATABASE_URL', url);
  const { code } = await runOps('surfaces', 'disable', 'seen.dj_champion', '--why', 'test');
  expect(code).toBe(0);
  vi.unstubAllEnvs();
});

/** A path of an operation with a value for its first parameter. */
const filled = (path: string, value = 'mono'): string =>
  path.replace(/\{\w+\}/, value).replaceAll(/\{\w+\}/g, '1');

const event = (changed: object = {}): InjectOptions => ({
  payload: {
    search_event_id: EVENT,
    source: 'memory',
    changed_facets: [],
    timestamp: new Date(NOW).toISOString(),
    ...changed,
  },
});

/** How a request to an operation raises an error. */
const requests: Partial<Record<ErrorCode, (path: string, method: string) => InjectOptions>> = {
  malformed_request: (path) => ({ url: `${filled(path)}?%ff` }),
  invalid_query(path, method) {
    if (method === 'post') return { payload: {} };
    // Public routes do not wait.
    if (path === '/api/v2/preview/artist') return { url: `${path}?q=` };
    if (path === '/api/v2/surface/{name}') return { url: filled(path, ROWS.replace('cluster', 'no')) };
    return { headers: { 'x-linernotes-at-least': 'x' } };
  },
  invalid_json: () => ({ payload: '{' }),
  invalid_artist_key: (path) => ({ url: filled(path, 'A'.repeat(64)) }),
  use_resolve_for_locator: (path) => ({ url: filled(path, 'catalog:1') }),
  invalid_fields: (path) => ({ url: `${filled(path)}?fields=nothing` }),
  invalid_label_key: (path) => ({ url: filled(path, 'catalog:1') }),
  missing_locator: (path) => ({ url: path }),
  invalid_locator: (path) => ({ url: path.includes('{') ? filled(path, 'x') : `${path}?cluster=x` }),
  invalid_facet: (path) => ({ url: `${path}?q=a&gnere=Rock` }),
  unknown_surface: (path) => ({ url: filled(path, 'x') }),
  invalid_cursor: (path) => ({ url: `${filled(path, ROWS)}&after=x` }),
  surface_disabled: (path) => ({ url: filled(path, DISABLED) }),
  invalid_payload: () => ({ payload: {} }),
  timestamp_skew: () => event({ timestamp: new Date(0).toISOString() }),
  token_search_event_mismatch: () => event({ search_event_id: OTHER_EVENT }),
};

const document = committedDocument();

/** The codes that an operation lists for a status. */
function codesOf({ responses }: OperationObject, status: number): string[] {
  const { $ref = '' } = (responses[status] ?? {}) as Partial<Reference>;
  const response = document.components.responses[$ref.slice($ref.lastIndexOf('/') + 1)];
  return Object.keys(response?.content?.['application/json']?.examples ?? {});
}

const listed = listOperations(document).flatMap(({ path, method, operation }) =>
  [400, 403, 404].flatMap((status) =>
    codesOf(operation, status).map((code) => [code, method, path, status] as const),
  ),
);

it.each(listed)('%s is raised by %s %s with status %s', async (code, method, path, status) => {
  const request = requests[code as ErrorCode]?.(path, method);
  if (request === undefined) throw new Error(`no request is known to raise ${code}`);
  const response = await app().inject({
    method: method === 'post' ? 'POST' : 'GET',
    url: filled(path),
    ...request,
    headers: {
      ...key(),
      authorization,
      ...(method === 'post' ? { 'content-type': 'application/json' } : {}),
      ...request.headers,
    },
  });
  expect([response.statusCode, response.json().error], response.body).toEqual([status, code]);
});

it('lists the errors of every operation, those of keys and of load among them', () => {
  for (const { path, operation } of listOperations(document)) {
    expect(codesOf(operation, 400), path).toContain('malformed_request');
    expect(codesOf(operation, 429), path).toEqual(['rate_limited']);
    if (!operation.security.some((scheme) => 'ApiKey' in scheme)) continue;
    expect(codesOf(operation, 401), path).toEqual(['invalid_api_key', 'missing_api_key']);
    expect(codesOf(operation, 503), path).toEqual(expect.arrayContaining(['overloaded', 'pool_exhausted']));
  }
});
