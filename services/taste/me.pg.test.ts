import type { LightMyRequestResponse } from 'fastify';
import { Client, Pool } from 'pg';
import { describe, expect, it, vi } from 'vitest';
import { byteaArray } from '../../db/arrays.ts';
import { withDatabaseName } from '../../test/support/services/template.ts';
import {
  type CookieJar,
  connectedCode,
  connectedToken,
  countRows,
  exchange,
  readMe,
  revokeMe,
  type Token,
  tasteApp,
  withTasteApp,
} from '../../test/support/taste/app.ts';
import { exchangeCode } from './profile/exchange-code.ts';
import { digestOf, randomSecret } from './profile/secrets.ts';

const { pool, url, app } = withTasteApp();
const APP = { origin: 'https://app.example' };
const OTHER = { origin: 'https://other.example:8443' };
const STRANGER = { origin: 'https://evil.example' };
const LOCAL = 'http://127.0.0.1:8082/';
const INVALID = '{"error":{"code":"code_invalid"}}';

const outdate = (table: 'code' | 'token') =>
  pool.query(`update taste.${table} set expires_at = now() - interval '1 ms'`);

interface Statement {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** A step of a plan, with the rows it returned and how often it ran. */
interface PlanStep {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly Plans?: readonly PlanStep[];
}

/** What the database does for a statement: every step of its plan, with its rows and loops. */
async function workOf({ name, text, values }: Statement) {
  const client = await pool.connect();
  try {
    // Small tables would be scanned whole otherwise.
    await client.query('begin; set local enable_seqscan = off');
    const { rows } = await client.query(
      `explain (analyze, costs off, timing off, summary off, buffers off, format json) ${text}`,
      [...values],
    );
    const stepsOf = (step: PlanStep): unknown[] => [
      [step['Node Type'], step['Relation Name'], step['Actual Rows'], step['Actual Loops']],
      ...(step.Plans ?? []).flatMap(stepsOf),
    ];
    return { name, steps: stepsOf(rows[0]['QUERY PLAN'][0].Plan) };
  } finally {
    await client.query('rollback');
    client.release();
  }
}

const codeOf = (response: LightMyRequestResponse) => [response.statusCode, response.json()?.error?.code];

describe('a code', () => {
  it('is exchanged for a token, once', async () => {
    const code = await connectedCode(app);
    const response = await exchange(app, { code });
    expect(response.statusCode).toBe(200);
    const token: Token = response.json();
    expect(token).toEqual({
      token: expect.stringMatching(/^profile_v1_[\w-]{43}$/),
      expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      scopes: ['profile:read'],
      sub: expect.stringMatching(/^sub_v1_[\w-]{43}$/),
    });
    expect((await exchange(app, { code })).body).toBe(INVALID);
    const { rows } = await pool.query(
      `select token::text as row, expires_at, expires_at - created_at = interval '90 days' as "isFor90Days"
       from taste.token`,
    );
    expect(rows[0]).toMatchObject({ expires_at: new Date(token.expires_at), isFor90Days: true });
    expect(rows[0].row).not.toContain(Buffer.from(token.token).toString('hex'));
    expect(rows).toHaveLength(1);
  });

  it('is rejected with the same bytes, whatever the reason', async () => {
    const exchanged = await connectedCode(app);
    await exchange(app, { code: exchanged });
    const expired = await connectedCode(app);
    await pool.query(`update taste.code set expires_at = now() where claimed_at is null`);
    const bare = ({ statusCode, headers, body }: LightMyRequestResponse) => {
      const { date: _date, 'x-request-id': _id, ...rest } = headers;
      return { statusCode, rest, body };
    };
    const responses = await Promise.all([
      exchange(app, { code: 'unknown' }, APP),
      exchange(app, { code: randomSecret() }, APP),
      exchange(app, { code: exchanged }, APP),
      exchange(app, { code: expired }, APP),
    ]);
    expect(responses.map(bare)).toEqual(
      responses.map(() => ({ ...bare(responses[0]), statusCode: 400, body: INVALID })),
    );
    expect((await pool.query('select from taste.token')).rowCount).toBe(1);
  });

  it('is rejected with the same work in the database, whatever the reason', async () => {
    const exchanged = await connectedCode(app);
    await exchange(app, { code: exchanged });
    const expired = await connectedCode(app);
    await pool.query(`update taste.code set expires_at = now() where claimed_at is null`);
    const works: unknown[] = [];
    for (const code of [exchanged, expired, randomSecret()]) {
      const sent = vi.spyOn(Client.prototype, 'query');
      await exchange(app, { code });
      const statements = sent.mock.calls.map(([statement]: unknown[]) => statement as Statement);
      sent.mockRestore();
      works.push(await Promise.all(statements.map(workOf)));
    }
    expect(works[0]).toMatchObject([{ name: 'exchange-code' }]);
    expect(works).toEqual(works.map(() => works[0]));
  });

  it.each([
    ['nothing', ''],
    ['no JSON', '{'],
    ['null', 'null'],
    ['a text', '"code"'],
    ['a list', '[]'],
    ['no code', '{}'],
    ['a number', '{"code":7}'],
    ['an object', '{"code":{}}'],
    ['an empty code', '{"code":""}'],
    ['a prototype', '{"__proto__":{"code":"x"}}'],
    ['a code with a NUL', '{"code":"a\\u0000b"}'],
    ['half a surrogate', '{"code":"\\ud800"}'],
  ])('is invalid: %s', async (_name, body) => {
    const response = await exchange(app, body);
    expect([response.statusCode, response.body]).toEqual([400, INVALID]);
  });

  it('must be sent as JSON of limited size', async () => {
    const code = await connectedCode(app);
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'nonsense',
    ])
      expect(codeOf(await exchange(app, { code }, { 'content-type': type }))).toEqual([
        415,
        'unsupported_media_type',
      ]);
    expect(codeOf(await exchange(app, { code, more: 'x'.repeat(5_000) }))).toEqual([
      413,
      'payload_too_large',
    ]);
    expect(
      (await exchange(app, { code }, { 'content-type': 'application/json; charset=utf-8' })).statusCode,
    ).toBe(200);
  });

  it('is accepted only from pages of its consumer, and stays valid after an attempt of another', async () => {
    const code = await connectedCode(app);
    for (const page of [OTHER, STRANGER, { origin: 'null' }, { origin: '' }])
      expect((await exchange(app, { code }, page)).body).toBe(INVALID);
    expect((await exchange(app, { code }, APP)).statusCode).toBe(200);
  });

  it('is exchanged exactly once by two concurrent requests, a thousand times', {
    timeout: 120_000,
  }, async () => {
    const { rows } = await pool.query(`insert into taste.person (digest) values ('\\x01') returning id`);
    const codes = Array.from({ length: 1_000 }, () => randomSecret());
    await pool.query(
      `insert into taste.code (digest, person_id, consumer, service, expires_at)
       select digest, $1, 'app', 'scrobbler', now() + interval '1 h' from unnest($2::bytea[]) digest`,
      [rows[0].id, byteaArray(codes.map(digestOf))],
    );
    let wins = 0;
    for (let at = 0; at < codes.length; at += 5) {
      await Promise.all(
        codes.slice(at, at + 5).map(async (code) => {
          const both = await Promise.all([exchangeCode(pool, code, null), exchangeCode(pool, code, 'app')]);
          const won = both.filter((issued) => issued !== null);
          expect(won).toHaveLength(1);
          wins += won.length;
        }),
      );
    }
    expect(wins).toBe(1_000);
    expect((await pool.query('select from taste.token')).rowCount).toBe(1_000);
  });
});

describe('the subject', () => {
  it('is the same for every connection of a person to a consumer', async () => {
    const jar: CookieJar = new Map();
    const first = await connectedToken(app, {}, jar);
    const again = await connectedToken(app, { username: 'bob' }, jar);
    const catalog = await connectedToken(app, { service: 'catalog' }, jar);
    expect([again.sub, catalog.sub]).toEqual([first.sub, first.sub]);
    const elsewhere = await connectedToken(app, { return: LOCAL }, jar);
    expect(elsewhere.sub).not.toBe(first.sub);
    const another = await connectedToken(app, { person: 'other' }, jar);
    const stranger = await connectedToken(app);
    expect(new Set([first.sub, elsewhere.sub, another.sub, stranger.sub]).size).toBe(4);
  });
});

describe('the profile', () => {
  const CLUSTERS = ['cc', 'aa', 'bb'].map((letters) => letters.repeat(32));

  async function match(username: string, clusters: readonly string[]): Promise<void> {
    for (const cluster of clusters)
      await pool.query(
        `insert into taste.match (account_id, cluster_id, via) select id, $2, 'name' from taste.account where username = $1`,
        [username, cluster],
      );
  }

  it('is empty before the first import', async () => {
    const { token } = await connectedToken(app);
    const response = await readMe(app, token, APP);
    expect([response.statusCode, response.json()]).toEqual([
      200,
      {
        connected_sources: { scrobbler: true, catalog: false, upload: false },
        connected_source_count: 1,
        resolved_cluster_ids: [],
      },
    ]);
  });

  it('has the clusters of all sources, in order, each once', async () => {
    const jar: CookieJar = new Map();
    await connectedCode(app, { service: 'catalog', username: 'bob' }, jar);
    const { token } = await connectedToken(app, {}, jar);
    await match('alice', CLUSTERS.slice(0, 2));
    await match('bob', CLUSTERS.slice(1));
    expect((await readMe(app, token)).json()).toEqual({
      connected_sources: { scrobbler: true, catalog: true, upload: false },
      connected_source_count: 2,
      resolved_cluster_ids: [...CLUSTERS].sort(),
    });
  });

  it('contains only sources with a consent for its consumer', async () => {
    const jar: CookieJar = new Map();
    const { token } = await connectedToken(app, {}, jar);
    const local = await connectedToken(app, { service: 'catalog', username: 'bob', return: LOCAL }, jar);
    const stranger = await connectedToken(app, { username: 'carol' });
    await match('alice', CLUSTERS.slice(0, 1));
    await match('bob', CLUSTERS.slice(1, 2));
    const shown = async (shownTo: string) => (await readMe(app, shownTo)).json().resolved_cluster_ids;
    expect(await shown(token)).toEqual(CLUSTERS.slice(0, 1));
    expect(await shown(local.token)).toEqual(CLUSTERS.slice(1, 2));
    expect(await shown(stranger.token)).toEqual([]);
    expect((await readMe(app, local.token)).json().connected_sources).toEqual({
      scrobbler: false,
      catalog: true,
      upload: false,
    });
  });

  it('stays connected under another username, without the data of the former', async () => {
    const jar: CookieJar = new Map();
    await connectedToken(app, {}, jar);
    await match('alice', CLUSTERS);
    const { token } = await connectedToken(app, { username: 'bob' }, jar);
    expect((await readMe(app, token)).json()).toMatchObject({
      connected_sources: { scrobbler: true },
      resolved_cluster_ids: [],
    });
  });

  it('renews the token when it is read; other requests do not', async () => {
    const { token } = await connectedToken(app);
    const times = async () => (await pool.query('select used_at, expires_at from taste.token')).rows[0];
    await pool.query(
      `update taste.token set expires_at = now() + interval '1 day', used_at = now() - interval '89 days'`,
    );
    const before = await times();
    await readMe(app, token, OTHER);
    await app.inject({ method: 'OPTIONS', url: '/api/v1/me/profile', headers: APP });
    expect(await times()).toEqual(before);
    expect((await readMe(app, token, APP)).statusCode).toBe(200);
    const { rows } = await pool.query(
      `select used_at > $1 as "isUsed", expires_at - used_at = interval '90 days' as "isFor90Days"
       from taste.token`,
      [before.used_at],
    );
    expect(rows).toEqual([{ isUsed: true, isFor90Days: true }]);
  });
});

describe('an invalid token', () => {
  it('is unknown, expired or revoked', async () => {
    const { token } = await connectedToken(app);
    expect(codeOf(await readMe(app, `${token}x`))).toEqual([401, 'token_invalid']);
    await outdate('token');
    expect(codeOf(await readMe(app, token))).toEqual([401, 'token_expired']);
    expect(codeOf(await revokeMe(app, token))).toEqual([401, 'token_expired']);
    expect(codeOf(await readMe(app, token))).toEqual([401, 'token_expired']);
  });

  it('ends with the last one the consents, and removes what was imported for them alone', async () => {
    const jar: CookieJar = new Map();
    const elsewhere = await connectedToken(app, { return: LOCAL }, jar);
    const first = await connectedToken(app, {}, jar);
    const last = await connectedToken(app, { service: 'catalog', username: 'alice2' }, jar);
    const shared = async () => {
      const { rows } = await pool.query('select service from taste.account order by service');
      return rows.map(({ service }) => service);
    };
    await revokeMe(app, first.token);
    expect((await readMe(app, last.token)).json()).toMatchObject({ connected_source_count: 2 });
    expect(await shared()).toEqual(['catalog', 'scrobbler']);
    expect((await revokeMe(app, last.token)).statusCode).toBe(204);
    expect(await shared()).toEqual(['scrobbler']);
    expect((await countRows(pool)).import).toBe(1);
    expect((await readMe(app, elsewhere.token)).json()).toMatchObject({ connected_source_count: 1 });
    await revokeMe(app, elsewhere.token);
    expect(await countRows(pool)).toMatchObject({ person: 1, account: 0, import: 0, consent: 3 });
    const { rows } = await pool.query('select from taste.consent where withdrawn_at is null');
    expect(rows).toEqual([]);
  });

  it('keeps the import while a code can still be exchanged, and of concurrent revocations the last removes it', async () => {
    const jar: CookieJar = new Map();
    const { token } = await connectedToken(app, {}, jar);
    const code = await connectedCode(app, {}, jar);
    await revokeMe(app, token);
    expect((await countRows(pool)).import).toBe(1);
    const tokens = [(await exchange(app, { code })).json().token, (await connectedToken(app, {}, jar)).token];
    const responses = await Promise.all(tokens.map((one) => revokeMe(app, one)));
    expect(responses.map(({ statusCode }) => statusCode)).toEqual([204, 204]);
    expect(await countRows(pool)).toMatchObject({ account: 0, import: 0 });
  });

  it('stays revoked', async () => {
    const { token } = await connectedToken(app);
    const kept = await connectedToken(app);
    const response = await revokeMe(app, token, { ...APP, 'content-type': 'application/json' });
    expect([response.statusCode, response.body]).toEqual([204, '']);
    expect(codeOf(await readMe(app, token))).toEqual([401, 'token_revoked']);
    expect(codeOf(await revokeMe(app, token))).toEqual([401, 'token_revoked']);
    await outdate('token');
    expect(codeOf(await readMe(app, token))).toEqual([401, 'token_revoked']);
    expect(codeOf(await readMe(app, kept.token))).toEqual([401, 'token_expired']);
  });

  it.each([
    ['no header', {}],
    ['an empty one', { authorization: '' }],
    ['a scheme alone', { authorization: 'Bearer' }],
    ['another scheme', { authorization: 'Basic profile_v1_x' }],
    ['no scheme', { authorization: 'profile_v1_x' }],
    ['two tokens', { authorization: 'Bearer profile_v1_x profile_v1_y' }],
    ['a cookie', { cookie: 'token=profile_v1_x' }],
  ])('is rejected: %s', async (_name, headers) => {
    const response = await app.inject({ url: '/api/v1/me/profile', headers });
    expect(codeOf(response)).toEqual([401, 'token_invalid']);
    expect(response.headers['www-authenticate']).toBe('Bearer realm="profile", error="invalid_token"');
  });

  it('is read only from the header, with the scheme in any case', async () => {
    const { token } = await connectedToken(app);
    const response = await app.inject({
      url: '/api/v1/me/profile',
      headers: { authorization: `bearer  ${token}` },
    });
    expect(response.statusCode).toBe(200);
    expect(codeOf(await app.inject(`/api/v1/me/profile?access_token=${token}&token=${token}`))).toEqual([
      401,
      'token_invalid',
    ]);
  });

  it('shows nothing once its concurrent revocation has finished', async () => {
    for (let round = 0; round < 20; round++) {
      const { token } = await connectedToken(app);
      const [read, revoked, again] = await Promise.all([
        readMe(app, token),
        revokeMe(app, token),
        revokeMe(app, token),
      ]);
      expect([200, 401]).toContain(read.statusCode);
      if (read.statusCode === 401) expect(codeOf(read)).toEqual([401, 'token_revoked']);
      expect([revoked.statusCode, again.statusCode].sort()).toEqual([204, 401]);
      expect(codeOf(await readMe(app, token))).toEqual([401, 'token_revoked']);
    }
  });
});

describe('pages of other origins', () => {
  const allowed = ({ headers }: LightMyRequestResponse) => headers['access-control-allow-origin'];

  function expectMeHeaders(response: LightMyRequestResponse, name = ''): void {
    expect(response.headers, name).toMatchObject({ 'cache-control': 'no-store', vary: 'Origin' });
    expect(response.headers['access-control-allow-credentials'], name).toBeUndefined();
    expect(allowed(response), name).not.toBe('*');
  }

  it('can read responses if they belong to the consumer; others cannot', async () => {
    const { token } = await connectedToken(app);
    const own = await readMe(app, token, APP);
    expect([own.statusCode, allowed(own)]).toEqual([200, APP.origin]);
    for (const page of [
      OTHER,
      STRANGER,
      { origin: 'null' },
      { origin: 'http://app.example' },
      { origin: 'https://app.example:443' },
    ]) {
      const response = await readMe(app, token, page);
      expect([...codeOf(response), allowed(response)]).toEqual([401, 'token_invalid', undefined]);
      const revoked = await revokeMe(app, token, page);
      expect([...codeOf(revoked), allowed(revoked)]).toEqual([401, 'token_invalid', undefined]);
    }
    expect((await readMe(app, token)).statusCode).toBe(200);
  });

  it('can read errors if they are registered', async () => {
    const { token } = await connectedToken(app);
    await revokeMe(app, token);
    const responses = {
      'an unknown token': await readMe(app, 'profile_v1_x', OTHER),
      'a revoked token': await readMe(app, token, APP),
      'an unknown code': await exchange(app, { code: 'x' }, OTHER),
      'a body of another type': await exchange(app, 'x', { ...APP, 'content-type': 'text/plain' }),
      'a body that is too large': await exchange(app, { code: 'x'.repeat(5_000) }, APP),
      'no such path': await app.inject({ url: '/api/v1/me/other', headers: APP }),
      'no such method': await app.inject({ method: 'PATCH', url: '/api/v1/me/token', headers: APP }),
      'a path that is no UTF-8': await app.inject({ url: '/api/v1/me/%ff', headers: APP }),
    };
    for (const [name, response] of Object.entries(responses)) {
      expectMeHeaders(response, name);
      expect(response.statusCode, name).toBeGreaterThanOrEqual(400);
      const page = name.includes('unknown') ? OTHER : APP;
      expect(allowed(response), name).toBe(page.origin);
    }
  });

  it('can send preflights', async () => {
    const preflight = (url: string, page: { origin: string }) =>
      app.inject({
        method: 'OPTIONS',
        url,
        headers: {
          ...page,
          'access-control-request-method': 'GET',
          'access-control-request-headers': 'authorization',
        },
      });
    const token = await preflight('/api/v1/me/token', APP);
    expect([token.statusCode, token.body]).toEqual([204, '']);
    expect(token.headers).toMatchObject({
      'access-control-allow-origin': APP.origin,
      'access-control-allow-methods': 'POST, DELETE, OPTIONS',
      'access-control-allow-headers': 'Authorization, Content-Type',
      'access-control-max-age': '600',
    });
    const profile = await preflight('/api/v1/me/profile', OTHER);
    expect(profile.headers['access-control-allow-methods']).toBe('GET, HEAD, OPTIONS');
    const stranger = await preflight('/api/v1/me/profile', STRANGER);
    expect(Object.keys(stranger.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    for (const response of [token, profile, stranger]) expectMeHeaders(response);
    const nowhere = await preflight('/api/v1/me/other', APP);
    expect([nowhere.statusCode, allowed(nowhere)]).toEqual([404, APP.origin]);
  });

  it('cannot read other routes', async () => {
    for (const url of ['/connect', '/connect/status', '/contracts/v1', '/contracts/v1.json', '/', '/nothing'])
      expect(allowed(await app.inject({ url, headers: APP })), url).toBeUndefined();
  });

  it('are not required: other clients get the same responses', async () => {
    const { token } = await connectedToken(app);
    const head = await app.inject({
      method: 'HEAD',
      url: '/api/v1/me/profile',
      headers: { authorization: `Bearer ${token}` },
    });
    expect([head.statusCode, head.body, allowed(head)]).toEqual([200, '', undefined]);
    for (const response of [
      head,
      await readMe(app, token),
      await readMe(app, 'x'),
      await revokeMe(app, token),
    ])
      expectMeHeaders(response);
  });

  it.each([
    ['is unavailable', () => 'postgres://nobody@127.0.0.1:1/nothing'],
    ['does not exist yet', () => withDatabaseName(url, 'nothing')],
    ['rejects the service', () => Object.assign(new URL(url), { username: 'nobody' }).href],
  ])('get 503 if the database %s', async (_name, connectionString) => {
    const unavailable = new Pool({ connectionString: connectionString() });
    const broken = tasteApp(unavailable);
    const response = await readMe(broken, 'x', APP);
    expect([...codeOf(response), allowed(response), response.headers['retry-after']]).toEqual([
      503,
      'unavailable',
      APP.origin,
      '5',
    ]);
    expectMeHeaders(response);
    await broken.close();
    await unavailable.end();
  });
});
