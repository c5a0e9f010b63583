import { pino } from 'pino';
import { Registry } from 'prom-client';
import { afterAll, expect, it } from 'vitest';
import { withDatabase } from '../../test/support/services/database.ts';
import {
  type CookieJar,
  connectedCode,
  connectPath,
  exchange,
  formTokenIn,
  openPage,
  RETURN,
  readMe,
  revokeMe,
  sendForm,
  submitConnect,
  type Token,
  tasteApp,
} from '../../test/support/taste/app.ts';

const { pool } = withDatabase();
const lines: string[] = [];
const metrics = new Registry();
const app = tasteApp(pool, { log: pino({ level: 'trace' }, { write: (line) => lines.push(line) }), metrics });
afterAll(() => app.close());

it('contains no username, code, token, cookie or return URL, even after failures', async () => {
  const username = 'a-very-private-name';
  const back = `${RETURN}&state2=secret-of-the-consumer`;
  const jar: CookieJar = new Map();
  const code = await connectedCode(app, { username, return: back }, jar);
  const { token, sub }: Token = (await exchange(app, { code })).json();
  await exchange(app, { code });
  await readMe(app, token);
  await readMe(app, token, { origin: 'https://evil.example' });
  await openPage(app, '/connect/status', jar);
  await openPage(app, `/connect?service=scrobbler&return=${encodeURIComponent(`${back};x`)}`, jar);
  await submitConnect(app, { username: `${username}@mail.example`, return: back }, jar);
  await app.inject(`/api/v1/me/profile?token=${token}`);
  await app.inject(`/api/v1/me/${token}/%ff`);
  await revokeMe(app, token);
  expect(lines).toHaveLength(3);

  // A database error quotes the rejected row.
  await pool.query(
    `alter table taste.account add constraint unconnected check (connected_at is null) not valid`,
  );
  const rejected = await submitConnect(app, { username: `${username}2`, return: back }, jar);
  await pool.query('alter table taste.account drop constraint unconnected');
  expect([rejected.statusCode, rejected.body.includes('Nothing was recorded')]).toEqual([500, true]);

  // A missing table is an error of another kind.
  await pool.query('alter table taste.token rename to token_moved');
  expect((await readMe(app, token)).statusCode).toBe(500);
  await pool.query('alter table taste.token_moved rename to token');

  const receipts = (await pool.query('select receipt from taste.consent')).rows.map(({ receipt }) => receipt);
  const log = lines.join('');
  const secrets = [username, 'secret-of-the-consumer', code, token, sub, ...jar.values(), ...receipts];
  expect(secrets.length).toBeGreaterThan(7);
  for (const secret of secrets) expect(log).not.toContain(secret);
  const messages = lines.map((line) => {
    const { msg, consumer, service, error, route, cause } = JSON.parse(line);
    return { msg, consumer, service, error, route, code: cause?.code };
  });
  expect(messages).toEqual([
    { msg: 'consent granted', consumer: 'app', service: 'scrobbler' },
    { msg: 'code exchanged', consumer: 'app' },
    { msg: 'token revoked', consumer: 'app' },
    { msg: 'a request failed unexpectedly', error: 'internal_error', route: '/connect', code: '23514' },
    {
      msg: 'a request failed unexpectedly',
      error: 'internal_error',
      route: '/api/v1/me/profile',
      code: '42P01',
    },
  ]);
  expect(await metrics.metrics()).not.toContain(username);
});

it('counts events', async () => {
  const before = await eventCounts();
  const jar: CookieJar = new Map();
  const code = await connectedCode(app, {}, jar);
  await exchange(app, { code });
  await exchange(app, { code });
  await openPage(app, '/connect?service=scrobbler&return=https://evil.example', jar);
  await sendForm(app, '/connect', { service: 'scrobbler', return: RETURN }, { jar });
  const page = await openPage(app, connectPath(), jar);
  expect(formTokenIn(page.body)).not.toBe('');
  const after = await eventCounts();
  const more = Object.entries(after).map(([event, count]) => [event, count - (before[event] ?? 0)]);
  expect(Object.fromEntries(more.filter(([, count]) => count !== 0))).toEqual({
    'consent granted': 1,
    'code exchanged': 1,
    'code refused': 1,
    'connect refused': 1,
    'form refused': 1,
  });
});

async function eventCounts(): Promise<Record<string, number>> {
  const text = await metrics.metrics();
  const found = text.matchAll(/^linernotes_taste_events_total\{event="([^"]+)"\} (\d+)$/gm);
  return Object.fromEntries([...found].map(([, event = '', count]) => [event, Number(count)]));
}
