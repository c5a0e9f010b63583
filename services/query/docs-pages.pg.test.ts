import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { queryApp } from '../../test/query-app.ts';
import { withDatabase } from '../../test/services/database.ts';
import { assets } from './docs/assets.ts';
import { errorCatalogue } from './errors.ts';

const { pool } = withDatabase();
const PAGES = ['/docs/api', '/docs/migration/v1-to-v2', '/docs/changelog', '/docs/guides/producers'];
const ASSETS = Object.values(assets).map(({ path }) => path);
const DOCUMENT = '/api/v2/openapi.json';

let app: FastifyInstance;
beforeAll(async () => {
  app = await queryApp(pool, { limits: { perKey: 10, perAddress: 1_000 } });
});
afterAll(() => app.close());

const htmlOf = async (path: string): Promise<string> => (await app.inject(path)).body;
const idsIn = (html: string): string[] => [...html.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id);

const KEPT = 'public, max-age=300';
const KEPT_FOR_GOOD = 'public, max-age=31536000, immutable';

describe.each([
  ...[...PAGES, DOCUMENT].map((path) => [path, KEPT] as const),
  ...ASSETS.map((path) => [path, KEPT_FOR_GOOD] as const),
])('%s', (path, cacheControl) => {
  it('is for everybody, and is asked for once', async () => {
    const answer = await app.inject({ url: path, headers: { 'accept-encoding': 'gzip' } });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-encoding': 'gzip',
      vary: 'accept-encoding',
      'cache-control': cacheControl,
      'x-request-id': expect.any(String),
    });
    const plain = await app.inject(path);
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(gunzipSync(answer.rawPayload).equals(plain.rawPayload)).toBe(true);
    const { etag } = plain.headers;
    expect(etag).toMatch(/^W\/"[\w-]{22}"$/);
    const again = await app.inject({ url: path, headers: { 'if-none-match': String(etag) } });
    expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, '', etag]);
    const head = await app.inject({ method: 'HEAD', url: path });
    expect([head.statusCode, head.body, head.headers['content-type']]).toEqual([
      200,
      '',
      plain.headers['content-type'],
    ]);
    const other = await app.inject({ method: 'DELETE', url: path });
    expect([other.statusCode, other.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });
});

describe.each(PAGES)('%s', (path) => {
  it('takes nothing from elsewhere, and runs nothing that is not a file of the service', async () => {
    const { headers, body } = await app.inject(path);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    for (const [, target = ''] of body.matchAll(/<(?:script|link|img|iframe)[^>]* (?:src|href)="([^"]*)"/g)) {
      expect(target).toMatch(/^\/docs\/assets\//);
      expect((await app.inject(target)).statusCode, target).toBe(200);
    }
    expect(body).not.toMatch(/<script>|\sstyle=|\son\w+=/);
  });

  it('has one heading above all others, a language, and no id twice', async () => {
    const html = await htmlOf(path);
    expect(html).toContain('<html lang="en">');
    expect(html.match(/<h1[ >]/g)).toHaveLength(1);
    const ids = idsIn(html);
    expect(ids.length).toBe(new Set(ids).size);
  });

  it('leads only to what is there', async () => {
    const html = await htmlOf(path);
    for (const [, target = ''] of html.matchAll(/<a [^>]*href="([^"]*)"/g)) {
      if (/^https?:/.test(target)) continue;
      const [to = '', anchor] = target.split('#');
      const page = to === '' ? html : await htmlOf(to);
      if (to !== '') expect((await app.inject(to)).statusCode, target).toBe(200);
      if (anchor !== undefined) expect(idsIn(page), target).toContain(anchor);
    }
  });
});

describe('the reference', () => {
  it('has an anchor for every code of an error, with status, message and hint', async () => {
    const html = await htmlOf('/docs/api');
    const escaped = (text: string): string =>
      text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll("'", '&#39;');
    for (const [code, { status, message, hint }] of Object.entries(errorCatalogue))
      expect(html).toContain(
        `<h3 id="error-${code}"><code>${code}</code> · ${status}</h3><p>${escaped(message)}</p><p>${escaped(hint)}</p>`,
      );
  });

  it('lists every operation for who lets no scripts run', async () => {
    const { paths } = (await app.inject(DOCUMENT)).json();
    const [, list = ''] = /<noscript>(.*?)<\/noscript>/s.exec(await htmlOf('/docs/api')) ?? [];
    const listed = [...list.matchAll(/<code>([A-Z]+ [^<]+)<\/code>/g)].map(([, text]) => text);
    expect(listed).toEqual(
      Object.entries<object>(paths).flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
      ),
    );
  });
});

describe('a file that pages refer to', () => {
  it('is the one of the library, at a path that says what is in it', async () => {
    const { path } = assets.swaggerScript;
    const { body, headers } = await app.inject(path);
    const digest = createHash('sha256').update(body).digest('hex').slice(0, 12);
    expect(path).toBe(`/docs/assets/swagger-ui-bundle-${digest}.js`);
    expect(headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(body).toContain('SwaggerUIBundle');
  });

  it('is nowhere under another name', async () => {
    for (const path of [
      '/docs/assets/swagger-ui.css',
      '/docs/assets/swagger-ui-bundle-000000000000.js',
      '/docs/assets/..%2fpage.ts',
      '/docs/assets/',
    ])
      expect((await app.inject(path)).statusCode, path).toBe(404);
  });
});

it('renders the guides whole: no mark of Markdown is left in their text', async () => {
  for (const path of PAGES.slice(1)) {
    const text = (await htmlOf(path))
      .replaceAll(/<pre.*?<\/pre>|<code>.*?<\/code>/gs, '')
      .replaceAll(/<[^>]+>/g, '');
    expect(text, path).not.toMatch(/`|\]\(|^#|^\||\*\*/m);
  }
});

it('sends who asks for the documents to the reference', async () => {
  const answer = await app.inject('/docs');
  expect([answer.statusCode, answer.headers.location]).toEqual([302, '/docs/api']);
});
