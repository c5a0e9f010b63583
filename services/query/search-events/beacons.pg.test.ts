import { request as httpRequest } from 'node:http';
import { Value } from '@sinclair/typebox/value';
import type { LightMyRequestResponse } from 'fastify';
import { SignJWT } from 'jose';
import { Pool } from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { queryApp } from '../../../test/support/query/app.ts';
import { withQueryService } from '../../../test/support/query/service.ts';
import { BeaconErrorBody } from './schema.ts';
import { MOST_REFINED } from './store-event.ts';
import { beaconTokens } from './tokens.ts';

const SECRET = 'the secret of these beacons, of 32 bytes';
const EVENT = '0f0e0d0c-0b0a-4908-8706-050403020100';
const OTHER = '0f0e0d0c-0b0a-4908-8706-050403020199';
const START = Date.UTC(2026, 0, 31, 12);
const OBSERVED = '/api/v2/search-events/observed';
const REFINED = '/api/v2/search-events/refined';

let now = START;
const tokens = beaconTokens({ secret: SECRET, now: () => now });
let token: string;
const { pool, url, app, open } = withQueryService({ parts: { beacons: tokens, now: () => now } });

beforeEach(async () => {
  now = START;
  ({ token } = await tokens.issue(EVENT));
});
afterEach(() => pool.query('truncate telemetry.search_event'));

const timestamp = (skewMs = 0): string => new Date(START + skewMs).toISOString();
const observed = { search_event_id: EVENT, source: 'memory', timestamp: timestamp() };
const refined = {
  search_event_id: EVENT,
  changed_facets: [{ name: 'genre', from: ['Jazz'], to: 'Rock' }],
  timestamp: timestamp(),
};

function send(
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = { authorization: `Bearer ${token}` },
  on = app(),
): Promise<LightMyRequestResponse> {
  const payload = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  return on.inject({
    method: 'POST',
    url: path,
    headers: { 'content-type': 'application/json', ...headers },
    payload,
  });
}

function expectRejected(response: LightMyRequestResponse, status: number, body: object): void {
  expect(response.statusCode, response.body).toBe(status);
  expect(response.json()).toEqual(body);
  expect([...Value.Errors({ ...BeaconErrorBody, additionalProperties: false }, response.json())]).toEqual([]);
  expect(response.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'access-control-allow-origin': '*',
    'cache-control': 'no-store',
  });
}

async function stored(): Promise<unknown[]> {
  const { rows } = await pool.query(
    `select search_event_id, kind, occurred_at, source, changed_facets from telemetry.search_event
     order by kind, occurred_at`,
  );
  return rows;
}

describe('an event', () => {
  it('of a result served from a cache is stored, with an empty response', async () => {
    const response = await send(OBSERVED, observed);
    expect([response.statusCode, response.body]).toEqual([204, '']);
    expect(response.headers['x-ratelimit-limit']).toBe('600');
    expect(await stored()).toEqual([
      {
        search_event_id: EVENT,
        kind: 'observed',
        occurred_at: new Date(START),
        source: 'memory',
        changed_facets: null,
      },
    ]);
  });

  it('of changed filters is stored, with every kind of filter', async () => {
    const changed_facets = ['genre', 'style', 'year_from', 'year_to', 'country', 'format', 'label', 'q'].map(
      (name) => ({ name, from: '', to: [] }),
    );
    expect((await send(REFINED, { ...refined, changed_facets })).statusCode).toBe(204);
    expect(
      (await send(REFINED, { ...refined, changed_facets: [], timestamp: timestamp(1) })).statusCode,
    ).toBe(204);
    expect(await stored()).toEqual([
      { search_event_id: EVENT, kind: 'refined', occurred_at: new Date(START), source: null, changed_facets },
      {
        search_event_id: EVENT,
        kind: 'refined',
        occurred_at: new Date(START + 1),
        source: null,
        changed_facets: [],
      },
    ]);
  });

  it('that is repeated, even concurrently, is stored once', async () => {
    const again = { ...observed, timestamp: timestamp(5_000), source: 'disk' };
    const responses = [
      ...(await Promise.all([observed, observed, observed].map((body) => send(OBSERVED, body)))),
      await send(OBSERVED, again),
      ...(await Promise.all([refined, refined].map((body) => send(REFINED, body)))),
    ];
    expect(responses.map(({ statusCode }) => statusCode)).toEqual([204, 204, 204, 204, 204, 204]);
    expect(await stored()).toMatchObject([{ kind: 'observed', source: 'memory' }, { kind: 'refined' }]);
  });

  it('differs if another change has the same timestamp', async () => {
    const changes = [
      [{ name: 'genre', from: '', to: 'Rock' }],
      [{ name: 'genre', from: '', to: 'Jazz' }],
      [{ to: 'Rock', from: '', name: 'genre' }],
    ];
    for (const changed_facets of changes)
      expect((await send(REFINED, { ...refined, changed_facets })).statusCode).toBe(204);
    const facets = (await stored()).map((row) => Object(row).changed_facets);
    expect(facets).toHaveLength(2);
    expect(facets).toEqual(expect.arrayContaining(changes.slice(0, 2)));
  });

  it('gets the same response but is not stored after a hundred of one search', async () => {
    await pool.query(
      `insert into telemetry.search_event (search_event_id, kind, occurred_at, changed_facets)
       select $1, 'refined', to_timestamp($2::float8 / 1000) - n * interval '1 ms', '[]' from generate_series(1, $3) n`,
      [EVENT, START, MOST_REFINED - 1],
    );
    for (const skew of [1, 2, 3])
      expect((await send(REFINED, { ...refined, timestamp: timestamp(skew) })).statusCode).toBe(204);
    const events = await stored();
    expect(events).toHaveLength(100);
    expect(events.at(-1)).toMatchObject({ occurred_at: new Date(START + 1) });
    expect((await send(OBSERVED, observed)).statusCode).toBe(204);
    const other = { authorization: `Bearer ${(await tokens.issue(OTHER)).token}` };
    await send(REFINED, { ...refined, search_event_id: OTHER }, other);
    expect(await stored()).toHaveLength(102);
  });

  it('may have unknown members, any case of Bearer, and an upper-case id', async () => {
    const body = { ...observed, search_event_id: EVENT.toUpperCase(), experiment: 'b' };
    expect((await send(OBSERVED, body, { authorization: `bearer  ${token}` })).statusCode).toBe(204);
    expect(await stored()).toMatchObject([{ search_event_id: EVENT }]);
  });

  it('is parsed whatever its media type', async () => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'text/plain;charset=UTF-8' };
    expect((await send(OBSERVED, observed, headers)).statusCode).toBe(204);
  });
});

describe('the token', () => {
  it.each([
    ['none', {}],
    ['an empty header', { authorization: '' }],
    ['a scheme alone', { authorization: 'Bearer' }],
  ])('is missing: %s', async (_name, headers) => {
    const response = await send(OBSERVED, observed, headers);
    expectRejected(response, 401, { error: 'missing_token' });
    expect(response.headers['www-authenticate']).toBe('Bearer realm="search-events"');
  });

  async function expectInvalid(authorization: string): Promise<void> {
    const response = await send(OBSERVED, observed, { authorization });
    expectRejected(response, 401, { error: 'invalid_token' });
    expect(response.headers['www-authenticate']).toBe('Bearer realm="search-events", error="invalid_token"');
  }

  it('is invalid if it is garbage or of another scheme', async () => {
    for (const authorization of [
      'Bearer garbage',
      'Bearer a.b.c',
      `Basic ${token}`,
      token,
      `Bearer ${token} x`,
    ])
      await expectInvalid(authorization);
  });

  it('is invalid after it has expired', async () => {
    now = START + 15 * 60_000 - 1;
    const late = { ...observed, timestamp: new Date(now).toISOString() };
    expect((await send(OBSERVED, late)).statusCode).toBe(204);
    now = START + 15 * 60_000;
    await expectInvalid(`Bearer ${token}`);
  });

  it('is invalid if signed with another secret', async () => {
    const other = beaconTokens({ secret: `${SECRET}!`, now: () => now });
    await expectInvalid(`Bearer ${(await other.issue(EVENT)).token}`);
  });

  it('is invalid if unsigned or signed with another algorithm', async () => {
    const claims = { sub: EVENT, aud: 'search-events', iat: START / 1000, exp: START / 1000 + 900 };
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
    await expectInvalid(`Bearer ${encode({ alg: 'none', typ: 'JWT' })}.${encode(claims)}.`);
    const signed = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS384' })
      .sign(Buffer.from(SECRET.repeat(2)));
    await expectInvalid(`Bearer ${signed}`);
  });

  it('is valid only for its own event', async () => {
    for (const [path, body] of [
      [OBSERVED, observed],
      [REFINED, refined],
    ] as const) {
      const response = await send(path, { ...body, search_event_id: OTHER });
      expectRejected(response, 403, { error: 'token_search_event_mismatch' });
    }
    expect(await stored()).toEqual([]);
  });
});

describe('the body', () => {
  it.each([
    ['nothing', ''],
    ['half of it', '{"search_event_id": '],
    ['two of them', '{}{}'],
    ['no UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['a form', 'search_event_id=1'],
  ])('is rejected if not JSON: %s', async (_name, body) => {
    expectRejected(await send(OBSERVED, body), 400, { error: 'invalid_json' });
  });

  it('gets every error by member', async () => {
    const response = await send(OBSERVED, { search_event_id: 'x', source: 7, timestamp: 'soon' });
    expectRejected(response, 400, {
      error: 'invalid_payload',
      details: {
        formErrors: [],
        fieldErrors: {
          search_event_id: [expect.stringContaining('match')],
          source: ['Expected string'],
          timestamp: ['Expected an ISO 8601 date-time with Z or an offset'],
        },
      },
    });
  });

  it.each(['null', '[]', '7', '"x"'])('%s is rejected because it is not an object', async (body) => {
    const response = await send(OBSERVED, body);
    expect(response.json()).toMatchObject({
      error: 'invalid_payload',
      details: { formErrors: ['Expected object'] },
    });
    expect(response.statusCode).toBe(400);
  });

  it.each([
    ['search_event_id', OBSERVED, { ...observed, search_event_id: undefined }],
    ['source', OBSERVED, { ...observed, source: undefined }],
    ['source', OBSERVED, { ...observed, source: 'a\0b' }],
    ['source', OBSERVED, `{"source":"\\ud800","search_event_id":"${EVENT}","timestamp":"${timestamp()}"}`],
    ['timestamp', OBSERVED, { ...observed, timestamp: undefined }],
    ['timestamp', OBSERVED, { ...observed, timestamp: START }],
    ['timestamp', OBSERVED, { ...observed, timestamp: '2026-02-30T12:00:00Z' }],
    ['timestamp', OBSERVED, { ...observed, timestamp: '2026-01-31T12:00:00' }],
    ['changed_facets', REFINED, { ...refined, changed_facets: undefined }],
    ['changed_facets', REFINED, { ...refined, changed_facets: {} }],
    ['changed_facets', REFINED, { ...refined, changed_facets: [{ name: 'mood', from: '', to: '' }] }],
    ['changed_facets', REFINED, { ...refined, changed_facets: [{ name: 'genre', from: 1, to: '' }] }],
    ['changed_facets', REFINED, { ...refined, changed_facets: [{ name: 'genre', from: '' }] }],
    ['changed_facets', REFINED, { ...refined, changed_facets: [{ name: 'q', from: '', to: ['\0'] }] }],
    [
      'changed_facets',
      REFINED,
      { ...refined, changed_facets: Array(11).fill({ name: 'q', from: '', to: '' }) },
    ],
  ])('must have a valid %s: %s %j', async (member, path, body) => {
    const response = await send(path, body);
    expect(response.json()).toMatchObject({ error: 'invalid_payload', details: { formErrors: [] } });
    expect(Object.keys(response.json().details.fieldErrors)).toEqual([member]);
    expect(response.statusCode).toBe(400);
    expect(await stored()).toEqual([]);
  });

  it('gets the expected values, and one error per missing member', async () => {
    const changed_facets = [{ name: 'mood', from: 7 }];
    expect((await send(REFINED, { changed_facets })).json().details.fieldErrors).toEqual({
      search_event_id: ['Expected required property'],
      timestamp: ['Expected required property'],
      changed_facets: expect.arrayContaining([
        '0.name: Expected one of genre, style, year_from, year_to, country, format, label, q',
        '0.from: Expected string or array of strings',
        '0.to: Expected required property',
      ]),
    });
    expect((await send(REFINED, { changed_facets })).json().details.fieldErrors.changed_facets).toHaveLength(
      3,
    );
  });

  it.each(['{"__proto__":{"x":1},', '{"constructor":{"prototype":{}},'])(
    'may have members of any name: %s',
    async (head) => {
      expect((await send(OBSERVED, head + JSON.stringify(observed).slice(1))).statusCode).toBe(204);
      const alone = await send(OBSERVED, `${head.slice(0, -1)}}`);
      expect([alone.statusCode, alone.json().error]).toEqual([400, 'invalid_payload']);
    },
  );

  it('may have ten changed facets', async () => {
    const changed_facets = Array(10).fill({ name: 'q', from: 'a', to: 'b' });
    expect((await send(REFINED, { ...refined, changed_facets })).statusCode).toBe(204);
  });
});

describe('the clock', () => {
  it.each([300_000, -300_000])('may be %d ms off', async (skew) => {
    expect((await send(OBSERVED, { ...observed, timestamp: timestamp(skew) })).statusCode).toBe(204);
  });

  it.each([300_001, -300_001, 86_400_000])('is rejected if %d ms off', async (skew) => {
    const response = await send(OBSERVED, { ...observed, timestamp: timestamp(skew) });
    expectRejected(response, 400, { error: 'timestamp_skew', skew_ms: skew });
    expect(await stored()).toEqual([]);
  });
});

describe('the size', () => {
  const padded = (bytes: number): string => {
    const json = JSON.stringify(observed);
    return json + ' '.repeat(bytes - json.length);
  };

  it('is at most 512 bytes', async () => {
    expect((await send(OBSERVED, padded(512))).statusCode).toBe(204);
    expectRejected(await send(OBSERVED, padded(513)), 413, { error: 'payload_too_large' });
    // Characters are not bytes.
    const wide = { ...observed, source: 'ü'.repeat(220) };
    expectRejected(await send(OBSERVED, wide), 413, { error: 'payload_too_large' });
  });

  it('is enforced without a content length', async () => {
    const own = await queryApp(pool, { beacons: tokens, now: () => now });
    const address = await own.listen({ host: '127.0.0.1', port: 0 });
    const post = (pieces: readonly string[]): Promise<[number | undefined, string]> =>
      new Promise((resolve, reject) => {
        const outgoing = httpRequest(
          `${address}${OBSERVED}`,
          { method: 'POST', headers: { authorization: `Bearer ${token}` } },
          (incoming) => {
            incoming.setEncoding('utf8');
            let body = '';
            incoming.on('data', (chunk: string) => {
              body += chunk;
            });
            incoming.on('end', () => resolve([incoming.statusCode, body]));
          },
        );
        outgoing.on('error', reject);
        for (const piece of pieces) outgoing.write(piece);
        outgoing.end();
      });
    try {
      expect(await post([padded(300).slice(0, 100), padded(300).slice(100)])).toEqual([204, '']);
      expect(await post([padded(400), ' '.repeat(113)])).toEqual([413, '{"error":"payload_too_large"}']);
    } finally {
      await own.close();
    }
  });
});

describe('of several errors the first is reported', () => {
  const big = 'x'.repeat(513);
  const wrongToken = { authorization: 'Bearer a.b.c' };
  const skewed = timestamp(400_000);
  it.each([
    ['size before token', big, {}, 413, 'payload_too_large'],
    ['token before JSON', 'x', {}, 401, 'missing_token'],
    ['token before JSON', 'x', wrongToken, 401, 'invalid_token'],
    ['JSON before payload', 'x', null, 400, 'invalid_json'],
    ['payload before match', { search_event_id: OTHER }, null, 400, 'invalid_payload'],
    [
      'match before clock',
      { ...observed, search_event_id: OTHER, timestamp: skewed },
      null,
      403,
      'token_search_event_mismatch',
    ],
    ['clock last', { ...observed, timestamp: skewed }, null, 400, 'timestamp_skew'],
  ])('%s: %#', async (_name, body, headers, status, error) => {
    const response = await send(OBSERVED, body, headers ?? { authorization: `Bearer ${token}` });
    expect([response.statusCode, response.json().error]).toEqual([status, error]);
  });
});

describe('the route', () => {
  it('is open to browsers, which may send the token', async () => {
    for (const path of [OBSERVED, REFINED]) {
      const response = await app().inject({
        method: 'OPTIONS',
        url: path,
        headers: {
          origin: 'https://shop.example',
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization,content-type',
        },
      });
      expect(response.statusCode).toBe(204);
      expect(response.headers).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'POST, OPTIONS',
      });
      const allowed = String(response.headers['access-control-allow-headers']).toLowerCase().split(', ');
      expect(allowed).toEqual(expect.arrayContaining(['authorization', 'content-type']));
    }
  });

  it('rejects an address that sends too many', async () => {
    const narrow = await open({ limits: { perKey: 100, perAddress: 2 } });
    const headers = { authorization: `Bearer ${token}` };
    for (const status of [204, 204])
      expect((await send(OBSERVED, observed, headers, narrow)).statusCode).toBe(status);
    const response = await send(OBSERVED, observed, headers, narrow);
    expectRejected(response, 429, { error: 'rate_limited' });
    expect(response.headers).toMatchObject({ 'retry-after': '60', 'x-ratelimit-remaining': '0' });
  });

  it('sends errors in the same format if the database is unavailable', async () => {
    const busy = new Pool({ connectionString: url, max: 1 });
    const client = await busy.connect();
    // Set after the first connection, which may take longer.
    busy.options.connectionTimeoutMillis = 50;
    const starved = await open({ accessPool: busy });
    try {
      const response = await send(OBSERVED, observed, { authorization: `Bearer ${token}` }, starved);
      expectRejected(response, 503, { error: 'pool_exhausted' });
      expect(response.headers['retry-after']).toBe('5');
    } finally {
      client.release();
      await starved.close();
      await busy.end();
    }
  });

  it('rejects other methods', async () => {
    const response = await app().inject(OBSERVED);
    expect(response.statusCode).toBe(405);
    expect(response.headers.allow).toBe('POST, OPTIONS');
  });
});
