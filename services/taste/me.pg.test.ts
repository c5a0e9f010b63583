import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { Pool } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { byteaArray } from '../../db/arrays.ts';
import { withDatabase } from '../../test/services/database.ts';
import { databaseUrl } from '../../test/services/template.ts';
import {
  type CookieJar,
  connectedCode,
  connectedToken,
  exchange,
  forgetAll,
  readMe,
  revokeMe,
  type Token,
  tasteApp,
} from '../../test/taste-app.ts';
import { exchangeCode } from './profile/exchange-code.ts';
import { digestOf, randomSecret } from './profile/secrets.ts';

const { pool, url } = withDatabase();
const APP = { origin: 'https://app.example' };
const OTHER = { origin: 'https://other.example:8443' };
const STRANGER = { origin: 'https://evil.example' };
const LOCAL = 'http://127.0.0.1:8082/';
const INVALID = '{"error":{"code":"code_invalid"}}';
const DAY_MS = 86_400_000;
let app: FastifyInstance;

beforeAll(() => {
  app = tasteApp(pool);
});
afterEach(() => forgetAll(pool));
afterAll(() => app.close());

const outdate = (table: 'code' | 'token') =>
  pool.query(`update taste.${table} set expires_at = now() - interval '1 ms'`);

const codeOf = (answer: LightMyRequestResponse) => [answer.statusCode, answer.json()?.error?.code];

describe('a code', () => {
  it('is exchanged for a token, once', async () => {
    const code = await connectedCode(app);
    const answer = await exchange(app, { code });
    expect(answer.statusCode).toBe(200);
    const token: Token = answer.json();
    expect(token).toEqual({
      token: expect.stringMatching(/^profile_v1_[\w-]{43}$/),
      expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      scopes: ['profile:read'],
      sub: expect.stringMatching(/^sub_v1_[\w-]{43}$/),
    });
    const life = Date.parse(token.expires_at) - Date.now();
    expect(Math.abs(life - 90 * DAY_MS)).toBeLessThan(60_000);
    expect((await exchange(app, { code })).body).toBe(INVALID);
    const { rows } = await pool.query('select token::text as row from taste.token');
    expect(rows[0].row).not.toContain(Buffer.from(token.token).toString('hex'));
    expect(rows).toHaveLength(1);
  });

  it('is refused in the same bytes, whatever the reason', async () => {
    const claimed = await connectedCode(app);
    await exchange(app, { code: claimed });
    const expired = await connectedCode(app);
    await pool.query(`update taste.code set expires_at = now() where claimed_at is null`);
    const bare = ({ statusCode, headers, body }: LightMyRequestResponse) => {
      const { date: _date, 'x-request-id': _id, ...rest } = headers;
      return { statusCode, rest, body };
    };
    const answers = await Promise.all([
      exchange(app, { code: 'unknown' }, APP),
      exchange(app, { code: randomSecret() }, APP),
      exchange(app, { code: claimed }, APP),
      exchange(app, { code: expired }, APP),
    ]);
    expect(answers.map(bare)).toEqual(
      answers.map(() => ({ ...bare(answers[0]), statusCode: 400, body: INVALID })),
    );
    expect((await pool.query('select from taste.token')).rowCount).toBe(1);
  });

  it('is refused in similar time, whatever the reason', async () => {
    const claimed = await connectedCode(app);
    await exchange(app, { code: claimed });
    const expired = await connectedCode(app);
    await pool.query(`update taste.code set expires_at = now() where claimed_at is null`);
    const kinds = [claimed, expired, randomSecret()];
    const times: number[][] = kinds.map(() => []);
    for (let round = 0; round < 250; round++) {
      for (const [index, code] of kinds.entries()) {
        const begunAt = performance.now();
        await exchange(app, { code });
        if (round >= 50) times[index]?.push(performance.now() - begunAt);
      }
    }
    const medians = times.map((all) => all.sort((a, b) => a - b)[all.length >> 1] ?? 0);
    const least = Math.min(...medians);
    expect(Math.max(...medians) - least).toBeLessThan(1 + least / 4);
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
  ])('is none: %s', async (_name, body) => {
    const answer = await exchange(app, body);
    expect([answer.statusCode, answer.body]).toEqual([400, INVALID]);
  });

  it('comes as JSON, and not as much as a book', async () => {
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

  it('is used by pages of its consumer alone, and stays whole where another tries', async () => {
    const code = await connectedCode(app);
    for (const page of [OTHER, STRANGER, { origin: 'null' }, { origin: '' }])
      expect((await exchange(app, { code }, page)).body).toBe(INVALID);
    expect((await exchange(app, { code }, APP)).statusCode).toBe(200);
  });

  it('is won by exactly one of two who race for it, a thousand times', { timeout: 120_000 }, async () => {
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
          const racers = await Promise.all([exchangeCode(pool, code, null), exchangeCode(pool, code, 'app')]);
          const won = racers.filter((issued) => issued !== null);
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
  it('is one for a person and a consumer, whatever the source and however often they connect', async () => {
    const jar: CookieJar = new Map();
    const first = await connectedToken(app, {}, jar);
    const again = await connectedToken(app, { username: 'bob' }, jar);
    const catalog = await connectedToken(app, { service: 'catalog' }, jar);
    expect([again.sub, catalog.sub]).toEqual([first.sub, first.sub]);
    const elsewhere = await connectedToken(app, { return: LOCAL }, jar);
    expect(elsewhere.sub).not.toBe(first.sub);
    const somebody = await connectedToken(app, { as_somebody_else: 'yes' }, jar);
    const stranger = await connectedToken(app);
    expect(new Set([first.sub, elsewhere.sub, somebody.sub, stranger.sub]).size).toBe(4);
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

  it('is empty before anything was imported', async () => {
    const { token } = await connectedToken(app);
    const answer = await readMe(app, token, APP);
    expect([answer.statusCode, answer.json()]).toEqual([
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

  it('shows a consumer only what was consented to for it, and nobody else of the same user name', async () => {
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

  it('goes on as the user connects by another name, and forgets what the former held', async () => {
    const jar: CookieJar = new Map();
    const { token } = await connectedToken(app, {}, jar);
    await match('alice', CLUSTERS);
    await connectedCode(app, { username: 'bob' }, jar);
    expect((await readMe(app, token)).json()).toMatchObject({
      connected_sources: { scrobbler: true },
      resolved_cluster_ids: [],
    });
  });

  it('renews the token as it is read, and nothing else does', async () => {
    const { token } = await connectedToken(app);
    const life = async () => {
      const { rows } = await pool.query(
        'select extract(epoch from expires_at - now())::float8 / 86400 as days from taste.token',
      );
      return rows[0].days;
    };
    await pool.query(
      `update taste.token set expires_at = now() + interval '1 day', used_at = now() - interval '89 days'`,
    );
    await readMe(app, token, OTHER);
    await app.inject({ method: 'OPTIONS', url: '/api/v1/me/profile', headers: APP });
    expect(await life()).toBeLessThanOrEqual(1);
    expect((await readMe(app, token, APP)).statusCode).toBe(200);
    expect(await life()).toBeGreaterThan(89.99);
    expect(await life()).toBeLessThanOrEqual(90);
    const { rows } = await pool.query(`select used_at > now() - interval '1 min' as used from taste.token`);
    expect(rows).toEqual([{ used: true }]);
  });
});

describe('a token that does not hold', () => {
  it('is told from one that never was', async () => {
    const { token } = await connectedToken(app);
    expect(codeOf(await readMe(app, `${token}x`))).toEqual([401, 'token_invalid']);
    await outdate('token');
    expect(codeOf(await readMe(app, token))).toEqual([401, 'token_expired']);
    expect(codeOf(await revokeMe(app, token))).toEqual([401, 'token_expired']);
    expect(codeOf(await readMe(app, token))).toEqual([401, 'token_expired']);
  });

  it('is revoked for good, with no body in return', async () => {
    const { token } = await connectedToken(app);
    const kept = await connectedToken(app);
    const answer = await revokeMe(app, token, { ...APP, 'content-type': 'application/json' });
    expect([answer.statusCode, answer.body]).toEqual([204, '']);
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
  ])('is none: %s', async (_name, headers) => {
    const answer = await app.inject({ url: '/api/v1/me/profile', headers });
    expect(codeOf(answer)).toEqual([401, 'token_invalid']);
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="profile", error="invalid_token"');
  });

  it('is read from the header of any case, and from nowhere else', async () => {
    const { token } = await connectedToken(app);
    const answer = await app.inject({
      url: '/api/v1/me/profile',
      headers: { authorization: `bearer  ${token}` },
    });
    expect(answer.statusCode).toBe(200);
    expect(codeOf(await app.inject(`/api/v1/me/profile?access_token=${token}&token=${token}`))).toEqual([
      401,
      'token_invalid',
    ]);
  });

  it('that is revoked as it is read shows nothing once that is through', async () => {
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

  function expectMeHeaders(answer: LightMyRequestResponse, name = ''): void {
    expect(answer.headers, name).toMatchObject({ 'cache-control': 'no-store', vary: 'Origin' });
    expect(answer.headers['access-control-allow-credentials'], name).toBeUndefined();
    expect(allowed(answer), name).not.toBe('*');
  }

  it('are answered to where they are of the consumer, and told nothing where they are not', async () => {
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
      const answer = await readMe(app, token, page);
      expect([...codeOf(answer), allowed(answer)]).toEqual([401, 'token_invalid', undefined]);
      const revoked = await revokeMe(app, token, page);
      expect([...codeOf(revoked), allowed(revoked)]).toEqual([401, 'token_invalid', undefined]);
    }
    expect((await readMe(app, token)).statusCode).toBe(200);
  });

  it('can read why they are refused, where they are registered', async () => {
    const { token } = await connectedToken(app);
    await revokeMe(app, token);
    const answers = {
      'a token of nobody': await readMe(app, 'profile_v1_x', OTHER),
      'a revoked token': await readMe(app, token, APP),
      'a code of nobody': await exchange(app, { code: 'x' }, OTHER),
      'a body of another type': await exchange(app, 'x', { ...APP, 'content-type': 'text/plain' }),
      'a body that is too large': await exchange(app, { code: 'x'.repeat(5_000) }, APP),
      'no such path': await app.inject({ url: '/api/v1/me/other', headers: APP }),
      'no such method': await app.inject({ method: 'PATCH', url: '/api/v1/me/token', headers: APP }),
      'a path that is no UTF-8': await app.inject({ url: '/api/v1/me/%ff', headers: APP }),
    };
    for (const [name, answer] of Object.entries(answers)) {
      expectMeHeaders(answer, name);
      expect(answer.statusCode, name).toBeGreaterThanOrEqual(400);
      const page = name.includes('nobody') ? OTHER : APP;
      expect(allowed(answer), name).toBe(page.origin);
    }
  });

  it('may ask before they ask', async () => {
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
    for (const answer of [token, profile, stranger]) expectMeHeaders(answer);
    const nowhere = await preflight('/api/v1/me/other', APP);
    expect([nowhere.statusCode, allowed(nowhere)]).toEqual([404, APP.origin]);
  });

  it('are never let in outside of these routes', async () => {
    for (const url of ['/connect', '/connect/status', '/contracts/v1', '/contracts/v1.json', '/', '/nothing'])
      expect(allowed(await app.inject({ url, headers: APP })), url).toBeUndefined();
  });

  it('are answered alike where there is no page', async () => {
    const { token } = await connectedToken(app);
    const head = await app.inject({
      method: 'HEAD',
      url: '/api/v1/me/profile',
      headers: { authorization: `Bearer ${token}` },
    });
    expect([head.statusCode, head.body, allowed(head)]).toEqual([200, '', undefined]);
    for (const answer of [head, await readMe(app, token), await readMe(app, 'x'), await revokeMe(app, token)])
      expectMeHeaders(answer);
  });

  it.each([
    ['is away', () => 'postgres://nobody@127.0.0.1:1/nothing'],
    ['is not there yet', () => databaseUrl(url, 'nothing')],
    ['does not let the service in', () => Object.assign(new URL(url), { username: 'nobody' }).href],
  ])('are told where the database %s', async (_name, connectionString) => {
    const away = new Pool({ connectionString: connectionString() });
    const broken = tasteApp(away);
    const answer = await readMe(broken, 'x', APP);
    expect([...codeOf(answer), allowed(answer), answer.headers['retry-after']]).toEqual([
      503,
      'unavailable',
      APP.origin,
      '5',
    ]);
    expectMeHeaders(answer);
    await broken.close();
    await away.end();
  });
});
