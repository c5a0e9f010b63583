import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { Pool } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { withDatabase } from '../../test/services/database.ts';
import {
  type CookieJar,
  connectedCode,
  connectPath,
  countRows,
  forgetAll,
  formTokenIn,
  NO_ROWS,
  openPage,
  RETURN,
  sendForm,
  submitConnect,
  type Typed,
  tasteApp,
} from '../../test/taste-app.ts';
import { HOSTILE_RETURN_URLS } from '../../test/taste-hostile-urls.ts';

const { pool } = withDatabase();
const START = Date.UTC(2026, 6, 1, 12);
let now = START;
let app: FastifyInstance;

beforeAll(() => {
  app = tasteApp(pool, { now: () => now });
});
afterEach(async () => {
  now = START;
  await forgetAll(pool);
});
afterAll(() => app.close());

const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

async function expectRefused(answer: LightMyRequestResponse, status: number, name = ''): Promise<void> {
  expect(answer.statusCode, name).toBe(status);
  expect(answer.headers, name).toMatchObject(PAGE_HEADERS);
  expect(answer.headers.location, name).toBeUndefined();
}

const live = async (): Promise<unknown[]> => {
  const { rows } = await pool.query(
    `select consumer, service, username from taste.consent where withdrawn_at is null
     order by consumer, service, username`,
  );
  return rows.map(Object.values);
};

const accounts = async (): Promise<unknown[]> => {
  const { rows } = await pool.query('select service, username from taste.account order by service, username');
  return rows.map(Object.values);
};

describe('the page', () => {
  it('asks for one consent and one user name, and can send them to the consumer alone', async () => {
    const answer = await openPage(app, connectPath());
    expect(answer.statusCode).toBe(200);
    expect(answer.headers).toMatchObject({
      ...PAGE_HEADERS,
      'content-security-policy':
        "default-src 'none'; style-src 'self'; img-src data:; form-action 'self' https://app.example; base-uri 'none'; frame-ancestors 'none'",
    });
    expect(answer.body).toContain('<h1>Connect your music-scrobbling service to App &amp; Friends</h1>');
    expect(answer.body).toContain('<label class="field" for="username">Username</label>');
    expect(answer.body).toMatch(
      /<label class="tick"><input type="checkbox" id="consent" name="consent" value="yes" required>/,
    );
    expect(answer.body).not.toContain('<script');
    expect(answer.body).not.toContain('somebody else');
    expect(await countRows(pool)).toEqual(NO_ROWS);
  });

  it('is for the collection where that is asked for', async () => {
    const { body } = await openPage(app, connectPath('catalog'));
    expect(body).toContain('<h1>Connect your release catalogue to App &amp; Friends</h1>');
    expect(body).toContain('imports the artists of my public collection');
  });

  it('binds its form by a cookie that no script and no other site gets', async () => {
    const { headers } = await openPage(app, connectPath());
    expect(headers['set-cookie']).toMatch(/^taste_form=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/);
    const secure = tasteApp(pool, { isSecure: true });
    const answer = await openPage(secure, connectPath());
    expect(answer.headers['set-cookie']).toMatch(
      /^__Host-taste_form=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    expect(answer.headers['strict-transport-security']).toBe('max-age=31536000');
    await secure.close();
  });

  it('keeps the return URL as it is, safe to show', async () => {
    const back = `${RETURN}&x='"<b>`;
    const { body } = await openPage(app, connectPath('scrobbler', back));
    expect(body).toContain(
      'name="return" value="https://app.example/connected?state=s1&amp;x=%27%22%3Cb%3E"',
    );
    expect(body).not.toContain('<b>');
  });
});

describe('what may not start', () => {
  it('is every hostile return URL, on the page and in its form', async () => {
    const jar: CookieJar = new Map();
    const token = formTokenIn((await openPage(app, connectPath(), jar)).body);
    for (const [name, text] of HOSTILE_RETURN_URLS) {
      const page = await app.inject({ url: connectPath('scrobbler', text) });
      await expectRefused(page, 400, name);
      expect(page.headers['set-cookie'], name).toBeUndefined();
      const fields = {
        service: 'scrobbler',
        return: text,
        username: 'alice',
        consent: 'yes',
        form_token: token,
      };
      await expectRefused(await sendForm(app, '/connect', fields, jar), 400, name);
    }
    expect(await countRows(pool)).toEqual(NO_ROWS);
  });

  it.each([
    ['nothing', ''],
    ['no return URL', 'service=scrobbler'],
    ['no service', `return=${encodeURIComponent(RETURN)}`],
    ['an unknown service', `service=radio&return=${encodeURIComponent(RETURN)}`],
    ['a name that all objects know', `service=constructor&return=${encodeURIComponent(RETURN)}`],
    ['a service in capitals', `service=Scrobbler&return=${encodeURIComponent(RETURN)}`],
    ['what the user cannot connect', `service=upload&return=${encodeURIComponent(RETURN)}`],
    [
      'a service that the consumer may not ask for',
      `service=catalog&return=${encodeURIComponent('https://other.example:8443/')}`,
    ],
    ['two return URLs', `service=scrobbler&return=${encodeURIComponent(RETURN)}&return=https://evil.example`],
    [
      'the same return URL twice',
      `service=scrobbler&return=${encodeURIComponent(RETURN)}&return=${encodeURIComponent(RETURN)}`,
    ],
    ['two services', `service=scrobbler&service=catalog&return=${encodeURIComponent(RETURN)}`],
    ['a list', `service=scrobbler&return[]=${encodeURIComponent(RETURN)}`],
    ['bytes that are no UTF-8', `service=scrobbler&return=https://app.example/connected%ff`],
  ])('is %s', async (_name, query) => {
    await expectRefused(await app.inject({ url: `/connect?${query}` }), 400);
    expect(await countRows(pool)).toEqual(NO_ROWS);
  });
});

describe('the form', () => {
  it('records the consent, queues the import and leads back with a code', async () => {
    const jar: CookieJar = new Map();
    const answer = await submitConnect(app, { username: ' alice ' }, jar);
    expect(answer.statusCode).toBe(302);
    expect(answer.headers.location).toMatch(
      /^https:\/\/app\.example\/connected\?state=s1&profile_code=[\w-]{43}$/,
    );
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
    expect(answer.body).toBe('');
    expect(String(answer.headers['set-cookie'])).toMatch(
      /^taste_person=[\w-]{43}; Max-Age=34560000; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    expect(await countRows(pool)).toEqual({
      person: 1,
      account: 1,
      consent: 1,
      code: 1,
      token: 0,
      import: 1,
    });
    const { rows } = await pool.query(
      `select receipt, consumer, consent.service, consent.username, contract, state, withdrawn_at,
         account.username as imported
       from taste.consent join taste.account using (person_id) join taste.import on account_id = account.id`,
    );
    expect(rows).toEqual([
      {
        receipt: expect.stringMatching(/^rcpt_v1_[\w-]{43}$/),
        consumer: 'app',
        service: 'scrobbler',
        username: 'alice',
        contract: 'contracts/v1 revision 1',
        state: 'queued',
        withdrawn_at: null,
        imported: 'alice',
      },
    ]);
    const [code] = (await pool.query('select expires_at - minted_at as life, claimed_at from taste.code'))
      .rows;
    expect([code.life.toPostgres(), code.claimed_at]).toEqual(['1 minutes', null]);
  });

  it('keeps neither the code nor the cookie readable', async () => {
    const jar: CookieJar = new Map();
    const code = await connectedCode(app, {}, jar);
    const person = jar.get('taste_person') ?? '';
    const { rows } = await pool.query(
      'select code::text as row from taste.code union all select person::text from taste.person',
    );
    const kept = rows.map(({ row }) => row).join();
    for (const secret of [code, person]) {
      expect(secret).toHaveLength(43);
      expect(kept).not.toContain(secret);
      expect(kept).not.toContain(Buffer.from(secret).toString('hex'));
    }
  });

  it('takes the place of a code that the return URL holds', async () => {
    const answer = await submitConnect(app, {
      return: 'https://app.example/connected?profile_code=old&state=2',
    });
    expect(answer.headers.location).toMatch(/connected\?state=2&profile_code=[\w-]{43}$/);
  });

  const fields = async (jar: CookieJar, typed: Typed = {}): Promise<Record<string, string>> => ({
    service: 'scrobbler',
    return: RETURN,
    username: 'alice',
    consent: 'yes',
    form_token: formTokenIn((await openPage(app, connectPath(), jar)).body),
    ...typed,
  });

  it.each([
    ['without a token', { form_token: '' }],
    ['with another token', { form_token: `9999999999999.${'A'.repeat(43)}` }],
    ['for another service', { service: 'catalog' }],
    ['for another return URL', { return: 'https://app.example/connected/other' }],
    ['for another consumer', { return: 'http://127.0.0.1:8082/' }],
  ])('is refused %s', async (_name, typed) => {
    const jar: CookieJar = new Map();
    await expectRefused(await sendForm(app, '/connect', await fields(jar, typed), jar), 403);
    expect(await countRows(pool)).toEqual(NO_ROWS);
  });

  it('is refused from another browser, another site, and after an hour', async () => {
    const jar: CookieJar = new Map();
    const sent = await fields(jar);
    await expectRefused(await sendForm(app, '/connect', sent), 403);
    const other: CookieJar = new Map();
    await fields(other);
    await expectRefused(await sendForm(app, '/connect', sent, other), 403);
    for (const site of ['cross-site', 'same-site'])
      await expectRefused(await sendForm(app, '/connect', sent, jar, { 'sec-fetch-site': site }), 403);
    now = START + 3_600_000;
    await expectRefused(await sendForm(app, '/connect', sent, jar), 403);
    expect(await countRows(pool)).toEqual(NO_ROWS);
    now -= 1;
    const headers = { 'sec-fetch-site': 'same-origin', origin: 'null' };
    expect((await sendForm(app, '/connect', sent, jar, headers)).statusCode).toBe(302);
  });

  it('can be sent from two tabs of one browser', async () => {
    const jar: CookieJar = new Map();
    const [first, second] = [await fields(jar), await fields(jar, { username: 'bob' })];
    expect((await sendForm(app, '/connect', first, jar)).statusCode).toBe(302);
    expect((await sendForm(app, '/connect', second, jar)).statusCode).toBe(302);
  });

  it('is shown again where it is not filled in, with what is wrong and what was typed', async () => {
    const answer = await submitConnect(app, { username: 'alice@mail.example', consent: '' });
    await expectRefused(answer, 422);
    expect(answer.headers['content-security-policy']).toContain("form-action 'self' https://app.example");
    expect(answer.body).toContain('<title>Error: Connect your');
    expect(answer.body).toContain('role="alert"');
    expect(answer.body).toContain(
      '<a href="#consent">Agree to the import, or go back without connecting.</a>',
    );
    expect(answer.body).toContain('<a href="#username">Enter your username, not an e-mail address.</a>');
    expect(answer.body).toContain('value="alice@mail.example"');
    expect(answer.body).toMatch(
      /id="username"[^>]* aria-describedby="username-hint username-fault" aria-invalid="true"/,
    );
    expect(answer.body).toMatch(
      /id="consent"[^>]* aria-invalid="true" aria-describedby="consent-fault" autofocus/,
    );
    expect(await countRows(pool)).toEqual(NO_ROWS);
    const markup = await submitConnect(app, { username: '"><script>alert(1)</script>' });
    expect(markup.statusCode).toBe(422);
    expect(markup.body).not.toContain('<script');
    expect(markup.body).toMatch(/name="consent" value="yes" required checked/);
    expect(await countRows(pool)).toEqual(NO_ROWS);
  });

  it('that is sent again after a mistake is taken', async () => {
    const jar: CookieJar = new Map();
    const wrong = await submitConnect(app, { username: '' }, jar);
    const sent = await fields(jar, { form_token: formTokenIn(wrong.body) });
    expect((await sendForm(app, '/connect', sent, jar)).statusCode).toBe(302);
  });

  it.each([
    ['JSON', 'application/json', '{"service":"scrobbler"}', 415],
    ['text', 'text/plain', 'service=scrobbler', 415],
    ['nothing', 'application/x-www-form-urlencoded', '', 400],
    ['far too much', 'application/x-www-form-urlencoded', `username=${'a'.repeat(20_000)}`, 413],
  ])('is no form: %s', async (_name, type, payload, status) => {
    const answer = await app.inject({
      method: 'POST',
      url: '/connect',
      headers: { 'content-type': type },
      payload,
    });
    await expectRefused(answer, status);
    expect(await countRows(pool)).toEqual(NO_ROWS);
  });
});

describe('who connects again', () => {
  it('is the same person, with a new consent in place of the old', async () => {
    const jar: CookieJar = new Map();
    await connectedCode(app, {}, jar);
    const cookie = jar.get('taste_person');
    const page = await openPage(app, connectPath(), jar);
    expect(page.body).toContain('Connect as somebody else');
    expect(page.body).not.toContain('alice');
    await connectedCode(app, {}, jar);
    expect(jar.get('taste_person')).toBe(cookie);
    expect(await countRows(pool)).toEqual({
      person: 1,
      account: 1,
      consent: 2,
      code: 2,
      token: 0,
      import: 1,
    });
    expect(await live()).toEqual([['app', 'scrobbler', 'alice']]);
  });

  it('is told what becomes of what was connected before', async () => {
    const jar: CookieJar = new Map();
    await connectedCode(app, {}, jar);
    const REPLACED = 'A listening history is connected to App &amp; Friends from this browser already.';
    const LEFT = '<a href="/connect/status">Withdraw it first</a>';
    const told = async (path = connectPath()) => {
      const { body } = await openPage(app, path, jar);
      expect(body).toContain('Connect as somebody else');
      return [body.includes(REPLACED), body.includes('already.'), body.includes(LEFT)];
    };
    expect(await told()).toEqual([true, true, true]);
    expect(await told(connectPath('catalog'))).toEqual([false, false, true]);
    expect(await told(connectPath('scrobbler', 'http://127.0.0.1:8082/'))).toEqual([false, false, true]);
    await pool.query('update taste.consent set withdrawn_at = now()');
    expect(await told()).toEqual([false, false, false]);
  });

  it('has a finished import done again, and one that is to come once', async () => {
    const jar: CookieJar = new Map();
    await connectedCode(app, {}, jar);
    await pool.query(`update taste.import set state = 'running'`);
    await connectedCode(app, {}, jar);
    expect((await countRows(pool)).import).toBe(1);
    await pool.query(`update taste.import set state = 'done'`);
    await connectedCode(app, {}, jar);
    const { rows } = await pool.query('select state from taste.import order by state');
    expect(rows).toEqual([{ state: 'done' }, { state: 'queued' }]);
  });

  it('by another user name has the former one forgotten, unless it is still shown to another consumer', async () => {
    const jar: CookieJar = new Map();
    await connectedCode(app, { username: 'alice' }, jar);
    await connectedCode(app, { username: 'alice', return: 'http://127.0.0.1:8082/' }, jar);
    await connectedCode(app, { username: 'bob' }, jar);
    expect(await live()).toEqual([
      ['app', 'scrobbler', 'bob'],
      ['local', 'scrobbler', 'alice'],
    ]);
    expect(await accounts()).toEqual([
      ['scrobbler', 'alice'],
      ['scrobbler', 'bob'],
    ]);
    await connectedCode(app, { username: 'bob', return: 'http://127.0.0.1:8082/' }, jar);
    expect(await accounts()).toEqual([['scrobbler', 'bob']]);
  });

  it('has each source and each consumer apart', async () => {
    const jar: CookieJar = new Map();
    await connectedCode(app, {}, jar);
    await connectedCode(app, { service: 'catalog', username: 'alice2' }, jar);
    expect(await live()).toEqual([
      ['app', 'catalog', 'alice2'],
      ['app', 'scrobbler', 'alice'],
    ]);
    expect((await countRows(pool)).person).toBe(1);
  });

  it('can be somebody else, and is so without the cookie, whatever the user name', async () => {
    const jar: CookieJar = new Map();
    await connectedCode(app, {}, jar);
    const first = jar.get('taste_person');
    await connectedCode(app, { as_somebody_else: 'yes' }, jar);
    expect(jar.get('taste_person')).not.toBe(first);
    await connectedCode(app);
    expect((await countRows(pool)).person).toBe(3);
  });

  it('is not taken for the person of a cookie that nobody was given', async () => {
    const planted = 'p'.repeat(43);
    const jar: CookieJar = new Map([['taste_person', planted]]);
    expect((await openPage(app, connectPath(), jar)).body).not.toContain('somebody else');
    await connectedCode(app, {}, jar);
    expect(jar.get('taste_person')).not.toBe(planted);
    const odd: CookieJar = new Map([['taste_person', 'x']]);
    await connectedCode(app, {}, odd);
    expect(odd.get('taste_person')).toHaveLength(43);
  });

  it('at the same moment twice has one consent that stands', async () => {
    const jar: CookieJar = new Map();
    await connectedCode(app, {}, jar);
    const names = ['a1', 'a2', 'a3', 'a4', 'a5', 'a6'];
    const answers = await Promise.all(names.map((username) => submitConnect(app, { username }, jar)));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(names.map(() => 302));
    expect(await live()).toHaveLength(1);
    expect(await accounts()).toHaveLength(1);
    expect(await countRows(pool)).toMatchObject({ person: 1, consent: 7 });
  });
});

it('says so where the database is away, and keeps nothing', async () => {
  const away = new Pool({ connectionString: 'postgres://nobody@127.0.0.1:1/nothing' });
  const broken = tasteApp(away);
  const jar: CookieJar = new Map();
  const token = formTokenIn((await openPage(broken, connectPath(), jar)).body);
  const fields = {
    service: 'scrobbler',
    return: RETURN,
    username: 'alice',
    consent: 'yes',
    form_token: token,
  };
  const answer = await sendForm(broken, '/connect', fields, jar);
  await expectRefused(answer, 503);
  expect(answer.headers['retry-after']).toBe('5');
  expect(answer.body).toContain('Nothing was recorded');
  await broken.close();
  await away.end();
});

it('stops who asks too often, for a while', async () => {
  const limited = tasteApp(pool, { requestsPerMinute: 2 });
  await openPage(limited, connectPath());
  await openPage(limited, connectPath());
  const page = await openPage(limited, connectPath());
  await expectRefused(page, 429);
  expect(Number(page.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  const me = await limited.inject({ url: '/api/v1/me/profile', headers: { origin: 'https://app.example' } });
  expect([me.statusCode, me.json()]).toEqual([429, { error: { code: 'rate_limited' } }]);
  expect(me.headers).toMatchObject({
    'access-control-allow-origin': 'https://app.example',
    'cache-control': 'no-store',
    vary: 'Origin',
  });
  const preflight = await limited.inject({
    method: 'OPTIONS',
    url: '/api/v1/me/profile',
    headers: { origin: 'https://app.example', 'access-control-request-method': 'GET' },
  });
  expect([preflight.statusCode, preflight.headers['access-control-allow-methods']]).toEqual([
    204,
    'GET, HEAD, OPTIONS',
  ]);
  await limited.close();
});

it('counts no preflight', async () => {
  const limited = tasteApp(pool, { requestsPerMinute: 1 });
  for (let times = 0; times < 3; times++)
    await limited.inject({ method: 'OPTIONS', url: '/api/v1/me/profile' });
  expect((await openPage(limited, connectPath())).statusCode).toBe(200);
  await limited.close();
});

it('takes so many consents a minute from one network, and counts no form that has to be mended', async () => {
  const limited = tasteApp(pool, { consentsPerMinute: 2 });
  const send = async (typed: Typed = {}) => (await submitConnect(limited, typed)).statusCode;
  expect([await send(), await send({ username: '' }), await send()]).toEqual([302, 422, 302]);
  const refused = await submitConnect(limited);
  await expectRefused(refused, 429);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  expect(refused.body).toContain('Nothing was recorded');
  expect(refused.headers['set-cookie']).toBeUndefined();
  expect(await countRows(pool)).toMatchObject({ person: 2, consent: 2, import: 2 });
  await limited.close();
});
