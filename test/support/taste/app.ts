import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import type { Pool } from 'pg';
import { pino } from 'pino';
import { afterAll, afterEach } from 'vitest';
import { buildTasteApp } from '../../../services/taste/build-app.ts';
import type { TasteParts } from '../../../services/taste/parts.ts';
import { withDatabase } from '../services/database.ts';
import { testContract } from './contract.ts';

export const TASTE_SECRET = 'secret of the taste tests, of 32 bytes';
export const RETURN = 'https://app.example/connected?state=s1';

/** The taste app on one pool, with the consumers of the tests; without logs and limits. */
export const tasteApp = (pool: Pool, changed: Partial<TasteParts> = {}): FastifyInstance =>
  buildTasteApp({
    pool,
    contract: testContract,
    secret: TASTE_SECRET,
    earlierRevisions: [],
    origin: null,
    trustProxy: false,
    requestsPerMinute: 1_000_000,
    consentsPerMinute: 1_000_000,
    metrics: null,
    now: Date.now,
    log: pino({ level: 'silent' }),
    ...changed,
  });

/** Runs the taste app over a database of its own, without persons at the start of each test, for one test file. */
export function withTasteApp(changed: Partial<TasteParts> = {}) {
  const { pool, url } = withDatabase();
  const app = tasteApp(pool, changed);
  afterEach(() => clearTaste(pool));
  afterAll(() => app.close());
  return { pool, url, app };
}

/** The cookies of one browser, by name. */
export type CookieJar = Map<string, string>;

/** What a user asks for and types on the connect page. */
export interface Typed {
  readonly service?: string;
  readonly return?: string;
  readonly username?: string;
  readonly consent?: string;
  readonly person?: string;
  readonly form_token?: string;
}

function keepCookies(jar: CookieJar, answer: LightMyRequestResponse): void {
  for (const { name, value } of answer.cookies) jar.set(name, value);
}

const cookieHeader = (jar: CookieJar): Record<string, string> =>
  jar.size === 0 ? {} : { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') };

/** Opens a page in the browser with these cookies. */
export async function openPage(
  app: FastifyInstance,
  url: string,
  jar: CookieJar = new Map(),
): Promise<LightMyRequestResponse> {
  const answer = await app.inject({ url, headers: cookieHeader(jar) });
  keepCookies(jar, answer);
  return answer;
}

interface FormOptions {
  readonly jar?: CookieJar;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a form from the browser with these cookies. */
export async function sendForm(
  app: FastifyInstance,
  url: string,
  fields: Readonly<Record<string, string>>,
  { jar = new Map(), headers = {} }: FormOptions = {},
): Promise<LightMyRequestResponse> {
  const answer = await app.inject({
    method: 'POST',
    url,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      origin: 'http://localhost',
      ...cookieHeader(jar),
      ...headers,
    },
    payload: new URLSearchParams(fields).toString(),
  });
  keepCookies(jar, answer);
  return answer;
}

export const connectPath = (service = 'scrobbler', back = RETURN): string =>
  `/connect?${new URLSearchParams({ service, return: back })}`;

/** The token of the form in a page; of one of several, that which follows a text. */
export function formTokenIn(html: string, after = ''): string {
  const token = /name="form_token" value="([^"]+)"/.exec(html.slice(html.indexOf(after)))?.[1];
  if (token === undefined) throw new Error('the page has no form');
  return token;
}

/** Opens the connect page and sends its form. */
export async function submitConnect(
  app: FastifyInstance,
  typed: Typed = {},
  jar: CookieJar = new Map(),
): Promise<LightMyRequestResponse> {
  const { service = 'scrobbler', return: back = RETURN } = typed;
  const page = await openPage(app, connectPath(service, back), jar);
  return sendForm(
    app,
    '/connect',
    {
      service,
      return: back,
      username: 'alice',
      consent: 'yes',
      form_token: formTokenIn(page.body),
      ...(page.body.includes('name="person"') ? { person: 'same' } : {}),
      ...typed,
    },
    { jar },
  );
}

/** Connects, and answers the code that the consumer is given. */
export async function connectedCode(
  app: FastifyInstance,
  typed: Typed = {},
  jar: CookieJar = new Map(),
): Promise<string> {
  const answer = await submitConnect(app, typed, jar);
  const code = new URL(String(answer.headers.location)).searchParams.get('profile_code');
  if (answer.statusCode !== 302 || code === null) throw new Error(`nothing was connected: ${answer.body}`);
  return code;
}

export const exchange = (
  app: FastifyInstance,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<LightMyRequestResponse> =>
  app.inject({
    method: 'POST',
    url: '/api/v1/me/token',
    headers: { 'content-type': 'application/json', ...headers },
    payload: typeof body === 'string' ? body : JSON.stringify(body),
  });

export interface Token {
  readonly token: string;
  readonly expires_at: string;
  readonly scopes: string[];
  readonly sub: string;
}

/** Connects and exchanges the code. */
export async function connectedToken(
  app: FastifyInstance,
  typed: Typed = {},
  jar: CookieJar = new Map(),
): Promise<Token> {
  const answer = await exchange(app, { code: await connectedCode(app, typed, jar) });
  if (answer.statusCode !== 200) throw new Error(`the code was not taken: ${answer.body}`);
  return answer.json();
}

export const readMe = (
  app: FastifyInstance,
  token: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<LightMyRequestResponse> =>
  app.inject({ url: '/api/v1/me/profile', headers: { authorization: `Bearer ${token}`, ...headers } });

export const revokeMe = (
  app: FastifyInstance,
  token: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<LightMyRequestResponse> =>
  app.inject({
    method: 'DELETE',
    url: '/api/v1/me/token',
    headers: { authorization: `Bearer ${token}`, ...headers },
  });

const TABLES = ['person', 'account', 'consent', 'code', 'token', 'import'] as const;

/** How many rows the tables of the taste service have. */
export async function countRows(pool: Pool): Promise<Record<(typeof TABLES)[number], number>> {
  const counts = TABLES.map((table) => `(select count(*)::int from taste.${table}) as "${table}"`);
  const { rows } = await pool.query(`select ${counts.join(', ')}`);
  return rows[0];
}

export const NO_TASTE_ROWS = { person: 0, account: 0, consent: 0, code: 0, token: 0, import: 0 };

/** Deletes all persons with their data. */
export const clearTaste = (pool: Pool): Promise<unknown> => pool.query('truncate taste.person cascade');
