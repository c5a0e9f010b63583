import { describe, expect, it } from 'vitest';
import {
  type CookieJar,
  connectedCode,
  connectedToken,
  countRows,
  exchange,
  formTokenIn,
  openPage,
  readMe,
  sendForm,
  withTasteApp,
} from '../../test/support/taste/app.ts';

const { pool, app } = withTasteApp();
const LOCAL = 'http://127.0.0.1:8082/';

const status = (jar: CookieJar, query = '') => openPage(app, `/connect/status${query}`, jar);

async function receiptOf(consumer: string, service: string): Promise<string> {
  const { rows } = await pool.query(
    'select receipt from taste.consent where consumer = $1 and service = $2 and withdrawn_at is null',
    [consumer, service],
  );
  return rows[0]?.receipt;
}

async function withdraw(jar: CookieJar, consumer: string, service: string) {
  const receipt = await receiptOf(consumer, service);
  const { body } = await status(jar);
  return sendForm(app, '/connect/withdraw', { receipt, form_token: formTokenIn(body, receipt) }, { jar });
}

describe('the page of connections', () => {
  it('is empty for a browser without a connection', async () => {
    const response = await status(new Map());
    expect(response.statusCode).toBe(200);
    expect(response.body).toContain('Nothing is connected from this browser.');
    expect(response.headers['set-cookie']).toBeUndefined();
    expect(response.headers['cache-control']).toBe('no-store');
  });

  it('shows the state of each import, without its data or username', async () => {
    const jar: CookieJar = new Map();
    await connectedCode(app, { username: 'alice' }, jar);
    await connectedCode(app, { username: 'alice2', service: 'catalog' }, jar);
    const states = async () => {
      const { body } = await status(jar);
      expect(body).not.toMatch(/alice|987654321/);
      return [...body.matchAll(/<h2>([^<]*)<\/h2>[\s\S]*?<dt>Import<\/dt><dd>([^<]*)</g)].map(
        ([, ...found]) => found,
      );
    };
    const set = (service: string, state: string, failure: string | null) =>
      pool.query(
        `update taste.import set state = $2, failure = $3, items = 987654321, matched = 987654321
         from taste.account where account.id = account_id and service = $1`,
        [service, state, failure],
      );
    expect(await states()).toEqual([
      ['App &amp; Friends: release catalogue', 'waiting to begin'],
      ['App &amp; Friends: music-scrobbling service', 'waiting to begin'],
    ]);
    await set('scrobbler', 'running', null);
    await set('catalog', 'failed', 'user_not_found');
    expect(await states()).toEqual([
      ['App &amp; Friends: release catalogue', 'failed. The service has no user of this name.'],
      ['App &amp; Friends: music-scrobbling service', 'in progress'],
    ]);
    await set('scrobbler', 'done', 'private');
    await set('catalog', 'failed', 'of a later version');
    expect(await states()).toEqual([
      ['App &amp; Friends: release catalogue', 'failed'],
      ['App &amp; Friends: music-scrobbling service', 'done'],
    ]);
  });

  it('shows the newest import of an account', async () => {
    const jar: CookieJar = new Map();
    await connectedCode(app, {}, jar);
    await pool.query(
      `update taste.import set state = 'failed', failure = 'private', requested_at = now() - interval '1 h'`,
    );
    await connectedCode(app, {}, jar);
    expect((await status(jar)).body).toContain('<dd>waiting to begin</dd>');
  });

  it('refreshes itself while an import is open, unless the user turns that off', async () => {
    const jar: CookieJar = new Map();
    await connectedCode(app, {}, jar);
    expect((await status(jar)).body).toContain('<meta http-equiv="refresh" content="5">');
    const still = await status(jar, '?refresh=off');
    expect(still.body).not.toContain('http-equiv');
    expect(still.body).toContain('An import is in progress');
    await pool.query(`update taste.import set state = 'done'`);
    expect((await status(jar)).body).not.toContain('http-equiv');
  });

  it('renews the cookie, and the time of the last visit at most once an hour', async () => {
    const jar: CookieJar = new Map();
    await connectedCode(app, {}, jar);
    const secret = jar.get('taste_person');
    /** Whether a visit so long after the last one records its time. */
    const recordsVisitAfter = async (ago: string) => {
      const { rows: last } = await pool.query<{ seen_at: Date }>(
        'update taste.person set seen_at = now() - $1::interval returning seen_at',
        [ago],
      );
      const response = await status(jar);
      expect(String(response.headers['set-cookie'])).toContain(
        `taste_person=${secret}; Max-Age=34560000; Path=/; HttpOnly; SameSite=Lax`,
      );
      const { rows: now } = await pool.query<{ seen_at: Date }>('select seen_at from taste.person');
      return Number(now[0]?.seen_at) > Number(last[0]?.seen_at);
    };
    expect(await recordsVisitAfter('399 days')).toBe(true);
    expect(await recordsVisitAfter('30 min')).toBe(false);
    await pool.query('update taste.consent set withdrawn_at = now()');
    expect(await recordsVisitAfter('2 h')).toBe(true);
  });

  it('is empty for a cookie that was never issued', async () => {
    const jar: CookieJar = new Map([['taste_person', 'p'.repeat(43)]]);
    const response = await status(jar);
    expect(response.body).toContain('Nothing is connected from this browser.');
    expect(response.headers['set-cookie']).toBeUndefined();
  });

  it('shows only the connections of this browser', async () => {
    const jar: CookieJar = new Map();
    await connectedCode(app, {}, jar);
    const other: CookieJar = new Map();
    await connectedCode(app, { return: LOCAL }, other);
    expect((await status(other)).body).toContain('Local App');
    expect((await status(other)).body).not.toContain('App &amp; Friends');
  });
});

describe('withdrawing a consent', () => {
  it('ends access of the consumer to that source', async () => {
    const jar: CookieJar = new Map();
    await connectedCode(app, { service: 'catalog' }, jar);
    const { token } = await connectedToken(app, {}, jar);
    const response = await withdraw(jar, 'app', 'scrobbler');
    expect([response.statusCode, response.headers.location]).toEqual([303, '/connect/status']);
    expect((await readMe(app, token)).json()).toEqual({
      connected_sources: { scrobbler: false, catalog: true, upload: false },
      connected_source_count: 1,
      resolved_cluster_ids: [],
    });
    expect(await countRows(pool)).toMatchObject({ person: 1, account: 1, consent: 2, import: 1 });
  });

  it('ends the tokens and codes of the consumer with its last consent, and of no other consumer', async () => {
    const jar: CookieJar = new Map();
    const kept = await connectedToken(app, { return: LOCAL }, jar);
    const { token } = await connectedToken(app, {}, jar);
    const code = await connectedCode(app, {}, jar);
    await withdraw(jar, 'app', 'scrobbler');
    expect((await readMe(app, token)).json()).toEqual({ error: { code: 'token_revoked' } });
    expect((await exchange(app, { code })).json()).toEqual({ error: { code: 'code_invalid' } });
    expect((await readMe(app, kept.token)).json()).toMatchObject({ connected_sources: { scrobbler: true } });
    expect((await status(jar)).body).not.toContain('<h2>App &amp; Friends');
    await withdraw(jar, 'local', 'scrobbler');
    expect(await countRows(pool)).toMatchObject({ account: 0, import: 0, consent: 3 });
    const again = await connectedToken(app, {}, jar);
    expect((await readMe(app, again.token)).statusCode).toBe(200);
  });

  it('has a receipt of its own, and the receipt of the consent stays in sight', async () => {
    const jar: CookieJar = new Map();
    await connectedCode(app, { username: 'alice' }, jar);
    await connectedCode(app, { username: 'alice' }, jar);
    const receipt = await receiptOf('app', 'scrobbler');
    await withdraw(jar, 'app', 'scrobbler');
    const { rows } = await pool.query(
      'select receipt, withdrawal_receipt as own from taste.consent order by granted_at',
    );
    const [replaced, withdrawn] = rows;
    expect([withdrawn.receipt, replaced.own]).toEqual([receipt, null]);
    expect(withdrawn.own).toMatch(/^rcpt_v1_[\w-]{43}$/);
    expect(withdrawn.own).not.toBe(receipt);
    const { body } = await status(jar);
    expect(body).toContain('Nothing is connected from this browser.');
    expect(body).toContain('<h3>App &amp; Friends: music-scrobbling service</h3>');
    for (const shown of [replaced.receipt, receipt, withdrawn.own]) expect(body).toContain(shown);
    expect(body).not.toMatch(/alice|form_token/);
    expect((await status(new Map())).body).not.toContain('rcpt_v1_');
  });

  it('works once for each form, also sent twice concurrently', async () => {
    const jar: CookieJar = new Map();
    await connectedCode(app, {}, jar);
    const receipt = await receiptOf('app', 'scrobbler');
    const form_token = formTokenIn((await status(jar)).body, receipt);
    const send = () => sendForm(app, '/connect/withdraw', { receipt, form_token }, { jar });
    const responses = await Promise.all([send(), send(), send()]);
    expect(responses.map(({ statusCode }) => statusCode).sort()).toEqual([303, 403, 403]);
    expect((await send()).statusCode).toBe(403);
  });

  it('is rejected without the form, from another browser, and for the receipt of another person', async () => {
    const jar: CookieJar = new Map();
    const { token } = await connectedToken(app, {}, jar);
    const receipt = await receiptOf('app', 'scrobbler');
    const form_token = formTokenIn((await status(jar)).body, receipt);
    const other: CookieJar = new Map();
    await connectedCode(app, { return: LOCAL }, other);
    const otherToken = formTokenIn((await status(other)).body);
    const rejections = [
      await sendForm(app, '/connect/withdraw', { receipt }, { jar }),
      await sendForm(app, '/connect/withdraw', { receipt, form_token }),
      await sendForm(app, '/connect/withdraw', { receipt, form_token }, { jar: other }),
      await sendForm(app, '/connect/withdraw', { receipt, form_token: otherToken }, { jar: other }),
      await sendForm(
        app,
        '/connect/withdraw',
        { receipt, form_token },
        {
          jar,
          headers: { origin: 'https://evil.example' },
        },
      ),
    ];
    expect(rejections.map(({ statusCode }) => statusCode)).toEqual([403, 403, 403, 403, 403]);
    expect((await readMe(app, token)).json()).toMatchObject({ connected_source_count: 1 });
    // The form has this browser's nonce, but the cookie is another person's.
    const mixed: CookieJar = new Map(jar);
    mixed.set('taste_person', other.get('taste_person') ?? '');
    expect(
      (await sendForm(app, '/connect/withdraw', { receipt, form_token }, { jar: mixed })).statusCode,
    ).toBe(303);
    expect((await readMe(app, token)).json()).toMatchObject({ connected_source_count: 1 });
  });
});
