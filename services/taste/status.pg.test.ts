import type { FastifyInstance } from 'fastify';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { withDatabase } from '../../test/services/database.ts';
import {
  type CookieJar,
  connectedCode,
  connectedToken,
  countRows,
  exchange,
  forgetAll,
  formTokenIn,
  openPage,
  readMe,
  sendForm,
  tasteApp,
} from '../../test/taste-app.ts';

const { pool } = withDatabase();
const LOCAL = 'http://127.0.0.1:8082/';
let app: FastifyInstance;

beforeAll(() => {
  app = tasteApp(pool);
});
afterEach(() => forgetAll(pool));
afterAll(() => app.close());

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
  return sendForm(app, '/connect/withdraw', { receipt, form_token: formTokenIn(body, receipt) }, jar);
}

describe('the page of connections', () => {
  it('is empty for a browser that nobody has connected from', async () => {
    const answer = await status(new Map());
    expect(answer.statusCode).toBe(200);
    expect(answer.body).toContain('Nothing is connected from this browser.');
    expect(answer.headers['set-cookie']).toBeUndefined();
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  it('tells how far each import is, and nothing of what it holds or of whom', async () => {
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
      ['App &amp; Friends: release catalogue', 'failed. The service knows nobody by this username.'],
      ['App &amp; Friends: music-scrobbling service', 'under way'],
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

  it('looks again by itself while there is something to wait for, unless it is told not to', async () => {
    const jar: CookieJar = new Map();
    await connectedCode(app, {}, jar);
    expect((await status(jar)).body).toContain('<meta http-equiv="refresh" content="5">');
    const still = await status(jar, '?refresh=off');
    expect(still.body).not.toContain('http-equiv');
    expect(still.body).toContain('Look again');
    await pool.query(`update taste.import set state = 'done'`);
    expect((await status(jar)).body).not.toContain('http-equiv');
  });

  it('has the browser go on being known, and the person seen', async () => {
    const jar: CookieJar = new Map();
    await connectedCode(app, {}, jar);
    const secret = jar.get('taste_person');
    const seenAgo = async (ago: string) => {
      await pool.query('update taste.person set seen_at = now() - $1::interval', [ago]);
      const answer = await status(jar);
      expect(String(answer.headers['set-cookie'])).toContain(
        `taste_person=${secret}; Max-Age=34560000; Path=/; HttpOnly; SameSite=Lax`,
      );
      const { rows } = await pool.query(
        'select extract(epoch from now() - seen_at)::int / 60 as minutes from taste.person',
      );
      return rows[0].minutes;
    };
    expect(await seenAgo('399 days')).toBe(0);
    expect(await seenAgo('59 min')).toBe(59);
    await pool.query('update taste.consent set withdrawn_at = now()');
    expect(await seenAgo('2 h')).toBe(0);
  });

  it('knows nobody by a cookie that nobody was given', async () => {
    const jar: CookieJar = new Map([['taste_person', 'p'.repeat(43)]]);
    const answer = await status(jar);
    expect(answer.body).toContain('Nothing is connected from this browser.');
    expect(answer.headers['set-cookie']).toBeUndefined();
  });

  it('is of this browser alone', async () => {
    const jar: CookieJar = new Map();
    await connectedCode(app, {}, jar);
    const other: CookieJar = new Map();
    await connectedCode(app, { return: LOCAL }, other);
    expect((await status(other)).body).toContain('Local App');
    expect((await status(other)).body).not.toContain('App &amp; Friends');
  });
});

describe('withdrawing a consent', () => {
  it('ends what the consumer can read of that source', async () => {
    const jar: CookieJar = new Map();
    await connectedCode(app, { service: 'catalog' }, jar);
    const { token } = await connectedToken(app, {}, jar);
    const answer = await withdraw(jar, 'app', 'scrobbler');
    expect([answer.statusCode, answer.headers.location]).toEqual([303, '/connect/status']);
    expect((await readMe(app, token)).json()).toEqual({
      connected_sources: { scrobbler: false, catalog: true, upload: false },
      connected_source_count: 1,
      resolved_cluster_ids: [],
    });
    expect(await countRows(pool)).toMatchObject({ person: 1, account: 1, consent: 2, import: 1 });
  });

  it('ends the tokens and codes of the consumer with its last consent, and nothing of another', async () => {
    const jar: CookieJar = new Map();
    const kept = await connectedToken(app, { return: LOCAL }, jar);
    const { token } = await connectedToken(app, {}, jar);
    const code = await connectedCode(app, {}, jar);
    await withdraw(jar, 'app', 'scrobbler');
    expect((await readMe(app, token)).json()).toEqual({ error: { code: 'token_revoked' } });
    expect((await exchange(app, { code })).json()).toEqual({ error: { code: 'code_invalid' } });
    expect((await readMe(app, kept.token)).json()).toMatchObject({ connected_sources: { scrobbler: true } });
    expect((await status(jar)).body).not.toContain('App &amp; Friends');
    await withdraw(jar, 'local', 'scrobbler');
    expect(await countRows(pool)).toMatchObject({ account: 0, import: 0, consent: 3 });
    const again = await connectedToken(app, {}, jar);
    expect((await readMe(app, again.token)).statusCode).toBe(200);
  });

  it('is refused without the form, from another browser, and for the receipt of somebody else', async () => {
    const jar: CookieJar = new Map();
    const { token } = await connectedToken(app, {}, jar);
    const receipt = await receiptOf('app', 'scrobbler');
    const form_token = formTokenIn((await status(jar)).body, receipt);
    const other: CookieJar = new Map();
    await connectedCode(app, { return: LOCAL }, other);
    const otherToken = formTokenIn((await status(other)).body);
    const refused = [
      await sendForm(app, '/connect/withdraw', { receipt }, jar),
      await sendForm(app, '/connect/withdraw', { receipt, form_token }),
      await sendForm(app, '/connect/withdraw', { receipt, form_token }, other),
      await sendForm(app, '/connect/withdraw', { receipt, form_token: otherToken }, other),
      await sendForm(app, '/connect/withdraw', { receipt, form_token }, jar, {
        'sec-fetch-site': 'cross-site',
      }),
    ];
    expect(refused.map(({ statusCode }) => statusCode)).toEqual([403, 403, 403, 403, 403]);
    expect((await readMe(app, token)).json()).toMatchObject({ connected_source_count: 1 });
    // The form of this browser's own nonce, but the person of another.
    const mixed: CookieJar = new Map(jar);
    mixed.set('taste_person', other.get('taste_person') ?? '');
    expect((await sendForm(app, '/connect/withdraw', { receipt, form_token }, mixed)).statusCode).toBe(303);
    expect((await readMe(app, token)).json()).toMatchObject({ connected_source_count: 1 });
  });
});
