import type { LightMyRequestResponse } from 'fastify';
import { Pool } from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { IMPORT_CHANNEL } from '../../projections/models/taste/imports.ts';
import { listenOn } from '../../test/support/services/notifications.ts';
import {
  type CookieJar,
  connectedCode,
  connectedToken,
  connectPath,
  countRows,
  exchange,
  formTokenIn,
  NO_TASTE_ROWS,
  openPage,
  RETURN,
  readMe,
  sendForm,
  submitConnect,
  type Typed,
  tasteApp,
  withTasteApp,
} from '../../test/support/taste/app.ts';
import { HOSTILE_RETURN_URLS } from '../../test/support/taste/hostile-urls.ts';

const START = Date.UTC(2026, 6, 1, 12);
let now = START;
const { pool, app } = withTasteApp({ now: () => now });

afterEach(() => {
  now = START;
});

const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

async function expectRejected(response: LightMyRequestResponse, status: number, name = ''): Promise<void> {
  expect(response.statusCode, name).toBe(status);
  expect(response.headers, name).toMatchObject(PAGE_HEADERS);
  expect(response.headers.location, name).toBeUndefined();
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
  it('requests one consent and one username, and can send them only to the consumer', async () => {
    const response = await openPage(app, connectPath());
    expect(response.statusCode).toBe(200);
    expect(response.headers).toMatchObject({
      ...PAGE_HEADERS,
      'content-security-policy':
        "default-src 'none'; style-src 'self'; img-src data:; form-action 'self' https://app.example; base-uri 'none'; frame-ancestors 'none'",
    });
    expect(response.body).toContain('<h1>Connect your music-scrobbling service to App &amp; Friends</h1>');
    expect(response.body).toContain('<label class="field" for="username">Username</label>');
    expect(response.body).toMatch(
      /<label class="tick"><input type="checkbox" id="consent" name="consent" value="yes" required>/,
    );
    expect(response.body).not.toContain('<script');
    expect(response.body).not.toContain('somebody else');
    expect(await countRows(pool)).toEqual(NO_TASTE_ROWS);
  });

  it('is for the collection if the catalogue is requested', async () => {
    const { body } = await openPage(app, connectPath('catalog'));
    expect(body).toContain('<h1>Connect your release catalogue to App &amp; Friends</h1>');
    expect(body).toContain('imports the artists of my public collection');
  });

  it('binds its form to a cookie that scripts and other sites cannot read', async () => {
    const { headers } = await openPage(app, connectPath());
    expect(headers['set-cookie']).toMatch(/^taste_form=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/);
    const secure = tasteApp(pool, { origin: 'https://taste.example' });
    const response = await openPage(secure, connectPath());
    expect(response.headers['set-cookie']).toMatch(
      /^__Host-taste_form=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    expect(response.headers['strict-transport-security']).toBe('max-age=31536000');
    await secure.close();
  });

  it('keeps the return URL and escapes it', async () => {
    const back = `${RETURN}&x='"<b>`;
    const { body } = await openPage(app, connectPath('scrobbler', back));
    expect(body).toContain(
      'name="return" value="https://app.example/connected?state=s1&amp;x=%27%22%3Cb%3E"',
    );
    expect(body).not.toContain('<b>');
  });
});

describe('a connection is rejected', () => {
  it('for every hostile return URL, on the page and in its form', async () => {
    const jar: CookieJar = new Map();
    const token = formTokenIn((await openPage(app, connectPath(), jar)).body);
    for (const [name, text] of HOSTILE_RETURN_URLS) {
      const page = await app.inject({ url: connectPath('scrobbler', text) });
      await expectRejected(page, 400, name);
      expect(page.headers['set-cookie'], name).toBeUndefined();
      const fields = {
        service: 'scrobbler',
        return: text,
        username: 'alice',
        consent: 'yes',
        form_token: token,
      };
      await expectRejected(await sendForm(app, '/connect', fields, { jar }), 400, name);
    }
    expect(await countRows(pool)).toEqual(NO_TASTE_ROWS);
  });

  it.each([
    ['an empty query', ''],
    ['no return URL', 'service=scrobbler'],
    ['no service', `return=${encodeURIComponent(RETURN)}`],
    ['an unknown service', `service=radio&return=${encodeURIComponent(RETURN)}`],
    ['a name that all objects inherit', `service=constructor&return=${encodeURIComponent(RETURN)}`],
    ['a service in capitals', `service=Scrobbler&return=${encodeURIComponent(RETURN)}`],
    ['a service that users cannot connect', `service=upload&return=${encodeURIComponent(RETURN)}`],
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
    ['bytes that are not UTF-8', `service=scrobbler&return=https://app.example/connected%ff`],
  ])('for %s', async (_name, query) => {
    await expectRejected(await app.inject({ url: `/connect?${query}` }), 400);
    expect(await countRows(pool)).toEqual(NO_TASTE_ROWS);
  });
});

describe('the form', () => {
  it('records the consent, queues the import and redirects to the consumer with a code', async () => {
    const jar: CookieJar = new Map();
    const response = await submitConnect(app, { username: ' alice ' }, jar);
    expect(response.statusCode).toBe(302);
    expect(response.headers.location).toMatch(
      /^https:\/\/app\.example\/connected\?state=s1&profile_code=[\w-]{43}$/,
    );
    expect(response.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
    expect(response.body).toBe('');
    expect(String(response.headers['set-cookie'])).toMatch(
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
        contract: 'contracts/v1 revision 2',
        state: 'queued',
        withdrawn_at: null,
        imported: 'alice',
      },
    ]);
    const [code] = (await pool.query('select expires_at - minted_at as life, claimed_at from taste.code'))
      .rows;
    expect([code.life.toPostgres(), code.claimed_at]).toEqual(['1 minutes', null]);
  });

  it('wakes the import of the source', async () => {
    let notifications = 0;
    const listener = await listenOn(pool, IMPORT_CHANNEL, () => notifications++);
    await connectedCode(app);
    await expect.poll(() => notifications).toBe(1);
    listener.stop();
  });

  it('stores neither the code nor the cookie in plain text', async () => {
    const jar: CookieJar = new Map();
    const code = await connectedCode(app, {}, jar);
    const person = jar.get('taste_person') ?? '';
    const { rows } = await pool.query(
      'select code::text as row from taste.code union all select person::text from taste.person',
    );
    const stored = rows.map(({ row }) => row).join();
    for (const secret of [code, person]) {
      expect(secret).toHaveLength(43);
      expect(stored).not.toContain(secret);
      expect(stored).not.toContain(Buffer.from(secret).toString('hex'));
    }
  });

  it('replaces a code in the return URL', async () => {
    const response = await submitConnect(app, {
      return: 'https://app.example/connected?profile_code=old&state=2',
    });
    expect(response.headers.location).toMatch(/connected\?state=2&profile_code=[\w-]{43}$/);
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
  ])('is rejected %s', async (_name, typed) => {
    const jar: CookieJar = new Map();
    await expectRejected(await sendForm(app, '/connect', await fields(jar, typed), { jar }), 403);
    expect(await countRows(pool)).toEqual(NO_TASTE_ROWS);
  });

  it('is rejected from another browser, from another site, and after an hour', async () => {
    const jar: CookieJar = new Map();
    const sent = await fields(jar);
    await expectRejected(await sendForm(app, '/connect', sent), 403);
    const other: CookieJar = new Map();
    await fields(other);
    await expectRejected(await sendForm(app, '/connect', sent, { jar: other }), 403);
    for (const origin of ['https://evil.example', 'http://sub.localhost', 'http://localhost:81', 'null', ''])
      await expectRejected(await sendForm(app, '/connect', sent, { jar, headers: { origin } }), 403);
    now = START + 3_600_000;
    await expectRejected(await sendForm(app, '/connect', sent, { jar }), 403);
    expect(await countRows(pool)).toEqual(NO_TASTE_ROWS);
    now -= 1;
    expect((await sendForm(app, '/connect', sent, { jar })).statusCode).toBe(302);
  });

  it('is accepted behind TLS that the service does not know of', async () => {
    const jar: CookieJar = new Map();
    const headers = { origin: 'https://taste.example', host: 'taste.example' };
    expect((await sendForm(app, '/connect', await fields(jar), { jar, headers })).statusCode).toBe(302);
  });

  it('is accepted from the configured origin alone', async () => {
    const configured = tasteApp(pool, { origin: 'http://taste.example', now: () => now });
    const jar: CookieJar = new Map();
    const sent = await fields(jar);
    await expectRejected(await sendForm(configured, '/connect', sent, { jar }), 403);
    const headers = { origin: 'http://taste.example' };
    expect((await sendForm(configured, '/connect', sent, { jar, headers })).statusCode).toBe(302);
    await configured.close();
  });

  it('can be sent from two tabs of one browser, where the second asks who the user is', async () => {
    const jar: CookieJar = new Map();
    const [first, second] = [await fields(jar), await fields(jar, { username: 'bob' })];
    expect((await sendForm(app, '/connect', first, { jar })).statusCode).toBe(302);
    const asked = await sendForm(app, '/connect', second, { jar });
    await expectRejected(asked, 422);
    expect(asked.body).toContain('<a href="#same">Choose whether you are the same person as before.</a>');
    const chosen = await sendForm(app, '/connect', { ...second, person: 'same' }, { jar });
    expect(chosen.statusCode).toBe(302);
  });

  it('works once, also sent twice concurrently', async () => {
    const jar: CookieJar = new Map();
    const sent = { ...(await fields(jar)), person: 'same' };
    const send = () => sendForm(app, '/connect', sent, { jar });
    const responses = await Promise.all([send(), send(), send(), send()]);
    expect(responses.map(({ statusCode }) => statusCode).sort()).toEqual([302, 403, 403, 403]);
    expect(responses.find(({ statusCode }) => statusCode === 403)?.body).toContain('was sent before');
    await expectRejected(await send(), 403);
    expect(await countRows(pool)).toMatchObject({ person: 1, consent: 1, code: 1, import: 1 });
  });

  it('is shown again with its errors and the typed values if it is incomplete', async () => {
    const response = await submitConnect(app, { username: 'alice@mail.example', consent: '' });
    await expectRejected(response, 422);
    expect(response.headers['content-security-policy']).toContain("form-action 'self' https://app.example");
    expect(response.body).toContain('<title>Error: Connect your');
    expect(response.body).toContain('role="alert"');
    expect(response.body).toContain(
      '<a href="#consent">Agree to the import, or go back without connecting.</a>',
    );
    expect(response.body).toContain('<a href="#username">Enter your username, not an e-mail address.</a>');
    expect(response.body).toContain('value="alice@mail.example"');
    expect(response.body).toMatch(
      /id="username"[^>]* aria-describedby="username-hint username-fault" aria-invalid="true"/,
    );
    expect(response.body).toMatch(
      /id="consent"[^>]* aria-invalid="true" aria-describedby="consent-fault" autofocus/,
    );
    expect(await countRows(pool)).toEqual(NO_TASTE_ROWS);
    const markup = await submitConnect(app, { username: '"><script>alert(1)</script>' });
    expect(markup.statusCode).toBe(422);
    expect(markup.body).not.toContain('<script');
    expect(markup.body).toMatch(/name="consent" value="yes" required checked/);
    expect(await countRows(pool)).toEqual(NO_TASTE_ROWS);
  });

  it('is accepted after its errors are corrected', async () => {
    const jar: CookieJar = new Map();
    const wrong = await submitConnect(app, { username: '' }, jar);
    const sent = await fields(jar, { form_token: formTokenIn(wrong.body) });
    expect((await sendForm(app, '/connect', sent, { jar })).statusCode).toBe(302);
  });

  it.each([
    ['JSON', 'application/json', '{"service":"scrobbler"}', 415],
    ['text', 'text/plain', 'service=scrobbler', 415],
    ['nothing', 'application/x-www-form-urlencoded', '', 400],
    ['far too much', 'application/x-www-form-urlencoded', `username=${'a'.repeat(20_000)}`, 413],
  ])('is rejected in another format: %s', async (_name, type, payload, status) => {
    const response = await app.inject({
      method: 'POST',
      url: '/connect',
      headers: { 'content-type': type },
      payload,
    });
    await expectRejected(response, status);
    expect(await countRows(pool)).toEqual(NO_TASTE_ROWS);
  });
});

describe('a person who connects again', () => {
  it('is the same person, with a new consent in place of the old', async () => {
    const jar: CookieJar = new Map();
    await connectedCode(app, {}, jar);
    const cookie = jar.get('taste_person');
    const page = await openPage(app, connectPath(), jar);
    expect(page.body).toContain('I am somebody else');
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

  it('sees what happens to the earlier connection', async () => {
    const jar: CookieJar = new Map();
    await connectedCode(app, {}, jar);
    const REPLACED = 'A listening history is already connected to App &amp; Friends from this browser.';
    const LEFT = '<a href="/connect/status">Withdraw them first</a>';
    const shown = async (path = connectPath()) => {
      const { body } = await openPage(app, path, jar);
      expect(body).toContain('I am somebody else');
      return [body.includes(REPLACED), body.includes('already'), body.includes(LEFT)];
    };
    expect(await shown()).toEqual([true, true, true]);
    expect(await shown(connectPath('catalog'))).toEqual([false, false, true]);
    expect(await shown(connectPath('scrobbler', 'http://127.0.0.1:8082/'))).toEqual([false, false, true]);
    await pool.query('update taste.consent set withdrawn_at = now()');
    expect(await shown()).toEqual([false, false, false]);
  });

  it('gets a new import after a finished one, but not beside a waiting one', async () => {
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

  it('with another username loses the former account, unless another consumer still has a consent to it', async () => {
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

  it('has a separate consent for each source and each consumer', async () => {
    const jar: CookieJar = new Map();
    await connectedCode(app, {}, jar);
    await connectedCode(app, { service: 'catalog', username: 'alice2' }, jar);
    expect(await live()).toEqual([
      ['app', 'catalog', 'alice2'],
      ['app', 'scrobbler', 'alice'],
    ]);
    expect((await countRows(pool)).person).toBe(1);
  });

  it('becomes another person on request, and without the cookie', async () => {
    const jar: CookieJar = new Map();
    await connectedCode(app, {}, jar);
    const first = jar.get('taste_person');
    await connectedCode(app, { person: 'other' }, jar);
    expect(jar.get('taste_person')).not.toBe(first);
    await connectedCode(app);
    expect((await countRows(pool)).person).toBe(3);
  });

  it('has to choose who they are, without a default', async () => {
    const jar: CookieJar = new Map();
    await connectedCode(app, {}, jar);
    const { body } = await openPage(app, connectPath(), jar);
    const choices = [...body.matchAll(/<input type="radio" id="(\w+)"[^>]*>/g)];
    expect(choices.map(([, id]) => id)).toEqual(['same', 'other']);
    for (const [choice] of choices) {
      expect(choice).toContain(' required');
      expect(choice).not.toContain('checked');
    }
    for (const person of ['', 'yes', 'SAME']) {
      const response = await submitConnect(app, { person }, jar);
      await expectRejected(response, 422);
      expect(response.body).toContain('Choose whether you are the same person as before.');
    }
    const kept = await submitConnect(app, { person: 'other', consent: '' }, jar);
    expect(kept.body).toMatch(/id="other"[^>]* checked>/);
    expect(await countRows(pool)).toMatchObject({ person: 1, consent: 1 });
  });

  it('as somebody else ends what the app reads of the person before, and nothing of other apps', async () => {
    const jar: CookieJar = new Map();
    const elsewhere = await connectedToken(app, { return: 'http://127.0.0.1:8082/' }, jar);
    const before = await connectedToken(app, { username: 'alice' }, jar);
    const unclaimed = await connectedCode(app, { service: 'catalog', username: 'alice2' }, jar);
    const after = await connectedToken(app, { username: 'bob', person: 'other' }, jar);
    expect((await readMe(app, before.token)).json()).toEqual({ error: { code: 'token_revoked' } });
    expect((await exchange(app, { code: unclaimed })).json()).toEqual({ error: { code: 'code_invalid' } });
    expect((await readMe(app, after.token)).statusCode).toBe(200);
    expect((await readMe(app, elsewhere.token)).statusCode).toBe(200);
    expect(await accounts()).toEqual([
      ['scrobbler', 'alice'],
      ['scrobbler', 'bob'],
    ]);
  });

  it('with another username ends the tokens for the former account, and with the same none', async () => {
    const jar: CookieJar = new Map();
    const elsewhere = await connectedToken(app, { return: 'http://127.0.0.1:8082/' }, jar);
    const first = await connectedToken(app, { username: 'alice' }, jar);
    const same = await connectedToken(app, { username: 'alice' }, jar);
    const catalog = await connectedToken(app, { username: 'alice2', service: 'catalog' }, jar);
    for (const { token } of [first, same, catalog]) expect((await readMe(app, token)).statusCode).toBe(200);
    const changed = await connectedToken(app, { username: 'bob' }, jar);
    for (const { token } of [first, same, catalog])
      expect((await readMe(app, token)).json()).toEqual({ error: { code: 'token_revoked' } });
    for (const { token } of [changed, elsewhere]) expect((await readMe(app, token)).statusCode).toBe(200);
    expect((await readMe(app, changed.token)).json()).toMatchObject({ connected_source_count: 2 });
  });

  it('is a new person if the cookie was never issued', async () => {
    const planted = 'p'.repeat(43);
    const jar: CookieJar = new Map([['taste_person', planted]]);
    expect((await openPage(app, connectPath(), jar)).body).not.toContain('somebody else');
    await connectedCode(app, {}, jar);
    expect(jar.get('taste_person')).not.toBe(planted);
    const odd: CookieJar = new Map([['taste_person', 'x']]);
    await connectedCode(app, {}, odd);
    expect(odd.get('taste_person')).toHaveLength(43);
  });

  it('several times concurrently has one active consent', async () => {
    const jar: CookieJar = new Map();
    await connectedCode(app, {}, jar);
    const names = ['a1', 'a2', 'a3', 'a4', 'a5', 'a6'];
    const responses = await Promise.all(names.map((username) => submitConnect(app, { username }, jar)));
    expect(responses.map(({ statusCode }) => statusCode)).toEqual(names.map(() => 302));
    expect(await live()).toHaveLength(1);
    expect(await accounts()).toHaveLength(1);
    expect(await countRows(pool)).toMatchObject({ person: 1, consent: 7 });
  });
});

it('responds 503 and stores nothing if the database is unavailable', async () => {
  const unavailable = new Pool({ connectionString: 'postgres://nobody@127.0.0.1:1/nothing' });
  const broken = tasteApp(unavailable);
  const jar: CookieJar = new Map();
  const token = formTokenIn((await openPage(broken, connectPath(), jar)).body);
  const fields = {
    service: 'scrobbler',
    return: RETURN,
    username: 'alice',
    consent: 'yes',
    form_token: token,
  };
  const response = await sendForm(broken, '/connect', fields, { jar });
  await expectRejected(response, 503);
  expect(response.headers['retry-after']).toBe('5');
  expect(response.body).toContain('Nothing was recorded');
  await broken.close();
  await unavailable.end();
});

it('rejects a network with too many requests', async () => {
  const limited = tasteApp(pool, { requestsPerMinute: 2 });
  await openPage(limited, connectPath());
  await openPage(limited, connectPath());
  const page = await openPage(limited, connectPath());
  await expectRejected(page, 429);
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

it('does not count preflights', async () => {
  const limited = tasteApp(pool, { requestsPerMinute: 1 });
  for (let times = 0; times < 3; times++)
    await limited.inject({ method: 'OPTIONS', url: '/api/v1/me/profile' });
  expect((await openPage(limited, connectPath())).statusCode).toBe(200);
  await limited.close();
});

it('limits the consents a minute from one network, without counting incomplete forms', async () => {
  const limited = tasteApp(pool, { consentsPerMinute: 2 });
  const send = async (typed: Typed = {}) => (await submitConnect(limited, typed)).statusCode;
  expect([await send(), await send({ username: '' }), await send()]).toEqual([302, 422, 302]);
  const rejected = await submitConnect(limited);
  await expectRejected(rejected, 429);
  expect(Number(rejected.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  expect(rejected.body).toContain('Nothing was recorded');
  expect(rejected.headers['set-cookie']).toBeUndefined();
  expect(await countRows(pool)).toMatchObject({ person: 2, consent: 2, import: 2 });
  await limited.close();
});
