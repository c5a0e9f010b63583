import { Value } from '@sinclair/typebox/value';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withDatabase } from '../../../test/services/database.ts';
import {
  connectedCode,
  connectedToken,
  exchange,
  readMe,
  revokeMe,
  tasteApp,
} from '../../../test/taste-app.ts';
import { testContract } from '../../../test/taste-contract.ts';
import { ErrorBody, ExchangeBody, ProfileBody } from '../schemas.ts';
import { type Contract, readContract } from './contract.ts';
import { contractDrift } from './drift.ts';

const { pool } = withDatabase();
const contract = readContract();
let app: FastifyInstance;

beforeAll(async () => {
  app = tasteApp(pool);
  await app.ready();
});
afterAll(() => app.close());

const drift = (changed: Partial<Contract> = {}) =>
  contractDrift({ ...contract, ...changed }, app.promisedRoutes);

describe('the published contract', () => {
  it('promises what is served, and all that is served', () => {
    expect(drift()).toEqual([]);
  });

  it('has all that consumers were told of from the start', () => {
    expect(contract.routes.map(({ method, path }) => `${method} ${path}`)).toEqual(
      expect.arrayContaining([
        'GET /connect',
        'POST /api/v1/me/token',
        'GET /api/v1/me/profile',
        'DELETE /api/v1/me/token',
      ]),
    );
  });
});

describe('what drifts apart is named', () => {
  const without = <T>(values: readonly T[], index: number): T[] =>
    values.filter((_value, at) => at !== index);

  it('a route that is not listed, or not served', () => {
    expect(drift({ routes: without(contract.routes, 0) })).toEqual([
      'GET /connect is served and not in the contract',
    ]);
    const [first] = contract.routes;
    if (first === undefined) throw new Error('the contract has no route');
    const more = { ...first, no: 'R99', path: '/api/v1/me/everything' };
    expect(drift({ routes: [...contract.routes, more] })).toEqual([
      'GET /api/v1/me/everything is in the contract and not served',
    ]);
  });

  it('whatever a route does otherwise', () => {
    const changed = contract.routes.map((route) =>
      route.path === '/api/v1/me/profile'
        ? {
            ...route,
            cors: false,
            auth: 'none' as const,
            query: ['person'],
            codes: ['token_invalid'],
            answers: [],
          }
        : route,
    );
    expect(drift({ routes: changed })).toEqual([
      'GET /api/v1/me/profile: cross-origin use is true, the contract says false',
      'GET /api/v1/me/profile: authentication is bearer, the contract says none',
      'GET /api/v1/me/profile: query is , the contract says person',
      'GET /api/v1/me/profile: codes is token_expired, token_invalid, token_revoked, the contract says token_invalid',
      'GET /api/v1/me/profile: statuses is 200, the contract says ',
      'M5 profile belongs to no route',
    ]);
  });

  it.each([
    ['a field too few', (fields: Contract['resources'][number]['fields']) => fields.slice(1)],
    [
      'a field of another type',
      (fields: Contract['resources'][number]['fields']) =>
        fields.map((field) => ({ ...field, type: 'integer' })),
    ],
    [
      'a field that may be left out',
      (fields: Contract['resources'][number]['fields']) =>
        fields.map((field) => ({ ...field, required: false })),
    ],
    [
      'a field too many',
      (fields: Contract['resources'][number]['fields']) =>
        fields.concat({ no: 'M9.9', name: 'email', type: 'string', required: true, description: 'no' }),
    ],
  ])('%s, of every resource', (_name, change) => {
    for (const { no } of contract.resources) {
      const resources = contract.resources.map((resource) =>
        resource.no === no ? { ...resource, fields: change(resource.fields) } : resource,
      );
      expect(drift({ resources }).length, no).toBeGreaterThan(0);
    }
  });

  it('codes and limits', () => {
    expect(drift({ codes: without(contract.codes, 4) })).toEqual([
      'error code: malformed_request is not in the contract',
    ]);
    expect(drift({ limits: contract.limits.map((limit) => ({ ...limit, value: 61 })) })).toEqual([
      'limit: connect_code_lifetime is 60, the contract says 61',
      'limit: token_lifetime is 90, the contract says 61',
      'limit: token_scope is profile:read, the contract says 61',
      'limit: form_lifetime is 60, the contract says 61',
      'limit: return_url_length is 2048, the contract says 61',
    ]);
  });
});

describe('what is answered', () => {
  it('has the fields that the schemas have, and so the contract', async () => {
    const exchanged = await exchange(app, { code: await connectedCode(app) });
    expect([...Value.Errors(ExchangeBody, exchanged.json())]).toEqual([]);
    const { token } = exchanged.json() as { token: string };
    const profile = await readMe(app, token);
    expect([...Value.Errors(ProfileBody, profile.json())]).toEqual([]);
    const refused = [
      await exchange(app, { code: 'x' }),
      await readMe(app, 'x'),
      await revokeMe(app, 'x'),
      await app.inject('/api/v1/me/nothing'),
      await app.inject({ method: 'PUT', url: '/api/v1/me/token' }),
    ];
    for (const answer of refused) expect([...Value.Errors(ErrorBody, answer.json())]).toEqual([]);
    expect(refused.map(({ statusCode }) => statusCode)).toEqual([400, 401, 401, 404, 405]);
  });

  it('is for the origins of the consumers alone, and for all of them', async () => {
    const allowed = async (origin: string) => {
      const { headers } = await app.inject({
        method: 'OPTIONS',
        url: '/api/v1/me/profile',
        headers: { origin, 'access-control-request-method': 'GET' },
      });
      return headers['access-control-allow-origin'];
    };
    for (const { origin } of testContract.consumers) {
      expect(await allowed(origin)).toBe(origin);
      expect(await allowed(`${origin}1`)).toBeUndefined();
      expect(await allowed(origin.toUpperCase())).toBeUndefined();
    }
    for (const origin of [
      'null',
      '*',
      'https://evil.example',
      contract.consumers[0]?.origin.replace('8082', '8083') ?? '',
    ])
      expect(await allowed(origin)).toBeUndefined();
  });

  it('is found where the contract says, for tokens and without', async () => {
    const { token } = await connectedToken(app);
    for (const { method, path, auth } of contract.routes) {
      if (method !== 'GET') continue;
      const headers = auth === 'bearer' ? { authorization: `Bearer ${token}` } : {};
      const { statusCode } = await app.inject({ method, url: path, headers });
      expect([200, 302, 400], path).toContain(statusCode);
      expect(statusCode, path).toBe(path === '/connect' ? 400 : path === '/' ? 302 : 200);
    }
  });
});
