import { Value } from '@sinclair/typebox/value';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withDatabase } from '../../../test/support/services/database.ts';
import {
  connectedCode,
  connectedToken,
  connectPath,
  exchange,
  openPage,
  RETURN,
  readMe,
  revokeMe,
  sendForm,
  submitConnect,
  tasteApp,
} from '../../../test/support/taste/app.ts';
import { TasteErrorBody } from '../http/errors.ts';
import { ExchangeBody, ProfileBody } from '../routes/me.ts';
import { type Contract, readContract } from './contract.ts';
import { type ConfiguredLimits, contractDrift } from './drift.ts';

const { pool } = withDatabase();
const contract = readContract();
/** An app with the consumers of the tests. */
let app: FastifyInstance;
/** An app with the consumers of the published contract. */
let published: FastifyInstance;

beforeAll(async () => {
  app = tasteApp(pool);
  published = tasteApp(pool, { contract });
  await app.ready();
});
afterAll(async () => {
  await app.close();
  await published.close();
});

/** The limits of a service that allows exactly what the contract promises. */
const PROMISED = { requests_per_minute: 600, consents_per_minute: 10 };

const drift = (changed: Partial<Contract> = {}, configured: ConfiguredLimits = PROMISED) =>
  contractDrift({ ...contract, ...changed }, app.declaredRoutes, configured);

describe('the published contract', () => {
  it('matches the served routes', () => {
    expect(drift()).toEqual([]);
  });

  it('keeps the routes of its first revision', () => {
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

describe('a difference is reported', () => {
  const without = <T>(values: readonly T[], index: number): T[] =>
    values.filter((_value, at) => at !== index);

  it('for a route that is not listed, or not served', () => {
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

  it('for every property of a route', () => {
    const changed = contract.routes.map((route) =>
      route.path === '/api/v1/me/profile'
        ? {
            ...route,
            cors: false,
            head: false,
            auth: 'none' as const,
            query: ['person'],
            codes: ['token_invalid'],
            answers: [],
          }
        : route,
    );
    expect(drift({ routes: changed })).toEqual([
      'GET /api/v1/me/profile: HEAD is true, the contract says false',
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
      'an optional field',
      (fields: Contract['resources'][number]['fields']) =>
        fields.map((field) => ({ ...field, required: false })),
    ],
    [
      'a field too many',
      (fields: Contract['resources'][number]['fields']) =>
        fields.concat({ no: 'M9.9', name: 'email', type: 'string', required: true, description: 'no' }),
    ],
  ])('for %s, in every resource', (_name, change) => {
    for (const { no } of contract.resources) {
      const resources = contract.resources.map((resource) =>
        resource.no === no ? { ...resource, fields: change(resource.fields) } : resource,
      );
      expect(drift({ resources }).length, no).toBeGreaterThan(0);
    }
  });

  it('for codes and limits', () => {
    expect(drift({ codes: without(contract.codes, 4) })).toEqual([
      'error code: malformed_request is not in the contract',
    ]);
    expect(drift({ limits: contract.limits.map((limit) => ({ ...limit, value: 61 })) })).toEqual([
      'limit: connect_code_lifetime is 60, the contract says 61',
      'limit: token_lifetime is 90, the contract says 61',
      'limit: token_scope is profile:read, the contract says 61',
      'limit: form_lifetime is 60, the contract says 61',
      'limit: return_url_length is 2048, the contract says 61',
      'limit: username_length is 64, the contract says 61',
      'limit: form_size is 16384, the contract says 61',
      'limit: body_size is 4096, the contract says 61',
      'limit: consents_per_minute is 10, the contract says 61',
    ]);
  });

  it('for a configured limit below the contract, not above it', () => {
    expect(drift({}, { requests_per_minute: 1_000, consents_per_minute: 11 })).toEqual([]);
    expect(drift({}, { requests_per_minute: 1, consents_per_minute: 2 })).toEqual([
      'limit: requests_per_minute is 1, the contract says 600',
      'limit: consents_per_minute is 2, the contract says 10',
    ]);
    expect(drift({ limits: contract.limits.filter(({ name }) => name !== 'consents_per_minute') })).toEqual([
      'limit: consents_per_minute is not in the contract',
    ]);
  });

  it('for HEAD, if the contract promises it for another method', () => {
    const routes = contract.routes.map((route) => ({ ...route, head: true }));
    expect(drift({ routes })).toEqual(
      contract.routes
        .filter(({ method }) => method !== 'GET')
        .map(({ method, path }) => `${method} ${path}: HEAD is false, the contract says true`),
    );
  });
});

describe('the service', () => {
  it('responds with exactly the fields of the schemas', async () => {
    const exchanged = await exchange(app, { code: await connectedCode(app) });
    expect([...Value.Errors(ExchangeBody, exchanged.json())]).toEqual([]);
    const { token } = exchanged.json() as { token: string };
    const profile = await readMe(app, token);
    expect([...Value.Errors(ProfileBody, profile.json())]).toEqual([]);
    const rejections = [
      await exchange(app, { code: 'x' }),
      await readMe(app, 'x'),
      await revokeMe(app, 'x'),
      await app.inject('/api/v1/me/nothing'),
      await app.inject({ method: 'PUT', url: '/api/v1/me/token' }),
    ];
    for (const response of rejections) expect([...Value.Errors(TasteErrorBody, response.json())]).toEqual([]);
    expect(rejections.map(({ statusCode }) => statusCode)).toEqual([400, 401, 401, 404, 405]);
  });

  it('allows the origins of all consumers and no others', async () => {
    const allowed = async (origin: string) => {
      const { headers } = await published.inject({
        method: 'OPTIONS',
        url: '/api/v1/me/profile',
        headers: { origin, 'access-control-request-method': 'GET' },
      });
      return headers['access-control-allow-origin'];
    };
    expect(contract.consumers.length).toBeGreaterThan(0);
    for (const { origin, return_prefixes: prefixes, services } of contract.consumers) {
      for (const service of services)
        for (const prefix of prefixes) {
          const { statusCode } = await openPage(published, connectPath(service, origin + prefix));
          expect(statusCode, `${service} ${origin}${prefix}`).toBe(200);
        }
      expect(await allowed(origin)).toBe(origin);
      expect(await allowed(`${origin}1`)).toBeUndefined();
      expect(await allowed(origin.toUpperCase())).toBeUndefined();
    }
    for (const origin of [
      'null',
      '*',
      'https://evil.example',
      'https://app.example',
      contract.consumers[0]?.origin.replace('8082', '8083') ?? '',
    ])
      expect(await allowed(origin)).toBeUndefined();
  });

  it('serves the routes of the contract, with a token and without', async () => {
    const { token } = await connectedToken(app);
    for (const { method, path, auth } of contract.routes) {
      const headers = auth === 'bearer' ? { authorization: `Bearer ${token}` } : {};
      const bodiless = await app.inject({ method: 'HEAD', url: path, headers });
      if (method !== 'GET') continue;
      const { statusCode } = await app.inject({ method, url: path, headers });
      expect([bodiless.statusCode, bodiless.body], path).toEqual([statusCode, '']);
      expect([200, 302, 400], path).toContain(statusCode);
      expect(statusCode, path).toBe(path === '/connect' ? 400 : path === '/' ? 302 : 200);
    }
  });
});

describe('the limits', () => {
  const limit = (name: string): number => {
    const value = contract.limits.find((one) => one.name === name)?.value;
    if (typeof value !== 'number') throw new Error(`the contract has no limit ${name}`);
    return value;
  };

  it('of lengths are those of the contract', async () => {
    const back = (length: number) => RETURN.padEnd(length, 'a');
    const opened = async (length: number) =>
      (await openPage(app, connectPath('scrobbler', back(length)))).statusCode;
    const length = limit('return_url_length');
    expect([await opened(length), await opened(length + 1)]).toEqual([200, 400]);

    const connected = async (characters: number) =>
      (await submitConnect(app, { username: 'a'.repeat(characters) })).statusCode;
    const characters = limit('username_length');
    expect([await connected(characters), await connected(characters + 1)]).toEqual([302, 422]);

    const sent = async (size: number) =>
      (await sendForm(app, '/connect', { x: 'a'.repeat(size - 'x='.length) })).statusCode;
    const size = limit('form_size');
    expect([await sent(size), await sent(size + 1)]).toEqual([400, 413]);

    const exchanged = async (bytes: number) => (await exchange(app, '{}'.padEnd(bytes))).statusCode;
    const bytes = limit('body_size');
    expect([await exchanged(bytes), await exchanged(bytes + 1)]).toEqual([400, 413]);
  });

  it('of rates are those of the contract', async () => {
    const requests = limit('requests_per_minute');
    const consents = limit('consents_per_minute');
    const usual = tasteApp(pool, { requestsPerMinute: requests, consentsPerMinute: consents });
    const connected: number[] = [];
    for (let times = 0; times <= consents; times++) connected.push((await submitConnect(usual)).statusCode);
    expect(connected).toEqual([...Array.from({ length: consents }, () => 302), 429]);
    const left = requests - 2 * (consents + 1);
    const read = async () => (await usual.inject('/contracts/v1.json')).statusCode;
    const all: number[] = [];
    for (let times = 0; times < left; times++) all.push(await read());
    expect([new Set(all), await read()]).toEqual([new Set([200]), 429]);
    await usual.close();
  });
});
