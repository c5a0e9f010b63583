import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { withQueryService } from '../../../test/support/query/service.ts';
import { errorCatalogue } from '../../http/errors.ts';
import { assets } from './assets.ts';

const service = withQueryService({ parts: { limits: { perKey: 10, perAddress: 1_000 } } });
const PAGES = [
  '/docs/api',
  '/docs/migration/v1-to-v2',
  '/docs/changelog',
  '/docs/guides/producers',
  '/docs/guides/connectors',
  '/docs/guides/operators',
];
const ASSETS = Object.values(assets).map(({ path }) => path);
const DOCUMENT = '/api/v2/openapi.json';

const htmlOf = async (path: string): Promise<string> => (await service.app().inject(path)).body;
const idsIn = (html: string): string[] => [...html.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id);

const CACHED = 'public, max-age=300';
const CACHED_FOR_EVER = 'public, max-age=31536000, immutable';

describe.each([
  ...[...PAGES, DOCUMENT, '/llms.txt'].map((path) => [path, CACHED] as const),
  ...ASSETS.map((path) => [path, CACHED_FOR_EVER] as const),
])('%s', (path, cacheControl) => {
  it('is public, compressed and cacheable', async () => {
    const response = await service.app().inject({ url: path, headers: { 'accept-encoding': 'gzip' } });
    expect(response.statusCode).toBe(200);
    expect(response.headers).toMatchObject({
      'content-encoding': 'gzip',
      vary: 'accept-encoding',
      'cache-control': cacheControl,
      'x-request-id': expect.any(String),
    });
    const plain = await service.app().inject(path);
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(gunzipSync(response.rawPayload).equals(plain.rawPayload)).toBe(true);
    const { etag } = plain.headers;
    expect(etag).toMatch(/^W\/"[\w-]{22}"$/);
    const again = await service.app().inject({ url: path, headers: { 'if-none-match': String(etag) } });
    expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, '', etag]);
    const head = await service.app().inject({ method: 'HEAD', url: path });
    expect([head.statusCode, head.body, head.headers['content-type']]).toEqual([
      200,
      '',
      plain.headers['content-type'],
    ]);
    const other = await service.app().inject({ method: 'DELETE', url: path });
    expect([other.statusCode, other.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });
});

describe.each(PAGES)('%s', (path) => {
  it('loads and runs only files of the service', async () => {
    const { headers, body } = await service.app().inject(path);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    for (const [, target = ''] of body.matchAll(/<(?:script|link|img|iframe)[^>]* (?:src|href)="([^"]*)"/g)) {
      expect(target).toMatch(/^\/docs\/assets\//);
      expect((await service.app().inject(target)).statusCode, target).toBe(200);
    }
    expect(body).not.toMatch(/<script>|\sstyle=|\son\w+=/);
  });

  it('has one main heading, a language, and unique ids', async () => {
    const html = await htmlOf(path);
    expect(html).toContain('<html lang="en">');
    expect(html.match(/<h1[ >]/g)).toHaveLength(1);
    const ids = idsIn(html);
    expect(ids.length).toBe(new Set(ids).size);
  });

  it('has no broken link', async () => {
    const html = await htmlOf(path);
    for (const [, target = ''] of html.matchAll(/<a [^>]*href="([^"]*)"/g)) {
      if (/^https?:/.test(target)) continue;
      const [to = '', anchor] = target.split('#');
      const page = to === '' ? html : await htmlOf(to);
      if (to !== '') expect((await service.app().inject(to)).statusCode, target).toBe(200);
      if (anchor !== undefined) expect(idsIn(page), target).toContain(anchor);
    }
  });
});

describe('the reference', () => {
  it('has an anchor for every error code, with status, message and hint', async () => {
    const html = await htmlOf('/docs/api');
    const escaped = (text: string): string =>
      text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll("'", '&#39;');
    for (const [code, { status, message, hint }] of Object.entries(errorCatalogue))
      expect(html).toContain(
        `<h3 id="error-${code}"><code>${code}</code> · ${status}</h3><p>${escaped(message)}</p><p>${escaped(hint)}</p>`,
      );
  });

  it('lists every operation without scripts', async () => {
    const { paths } = (await service.app().inject(DOCUMENT)).json();
    const [, list = ''] = /<noscript>(.*?)<\/noscript>/s.exec(await htmlOf('/docs/api')) ?? [];
    const listed = [...list.matchAll(/<code>([A-Z]+ [^<]+)<\/code>/g)].map(([, text]) => text);
    expect(listed).toEqual(
      Object.entries<object>(paths).flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
      ),
    );
  });
});

describe('an asset', () => {
  it('is the file of the library, at a path with its digest', async () => {
    const { path } = assets.swaggerScript;
    const { body, headers } = await service.app().inject(path);
    const digest = createHash('sha256').update(body).digest('hex').slice(0, 12);
    expect(path).toBe(`/docs/assets/swagger-ui-bundle-${digest}.js`);
    expect(headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(body).toContain('SwaggerUIBundle');
  });

  it('has no other path', async () => {
    for (const path of [
      '/docs/assets/swagger-ui.css',
      '/docs/assets/swagger-ui-bundle-000000000000.js',
      '/docs/assets/..%2fpage.ts',
      '/docs/assets/',
    ])
      expect((await service.app().inject(path)).statusCode, path).toBe(404);
  });
});

it('renders the guides completely: no Markdown is left in their text', async () => {
  for (const path of PAGES.slice(1)) {
    const text = (await htmlOf(path))
      .replaceAll(/<pre.*?<\/pre>|<code>.*?<\/code>/gs, '')
      .replaceAll(/<[^>]+>/g, '');
    expect(text, path).not.toMatch(/`|\]\(|^#|^\||\*\*/m);
  }
});

it.each([
  ['/', '/docs/api'],
  ['/docs', '/docs/api'],
  ['/openapi.json', DOCUMENT],
])('leads from %s to %s', async (path, target) => {
  const response = await service.app().inject(path);
  expect([response.statusCode, response.headers.location]).toEqual([302, target]);
});

it('has an index for language models, whose links work and which names every operation', async () => {
  const { headers, body } = await service.app().inject('/llms.txt');
  expect(headers['content-type']).toBe('text/plain; charset=utf-8');
  expect(body).toMatch(/^# Linernotes\n\n> \S/);
  const links = [...body.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link);
  expect(links).toEqual(expect.arrayContaining(PAGES));
  for (const link of links) expect([200, 401], link).toContain((await service.app().inject(link)).statusCode);
  const { paths } = (await service.app().inject(DOCUMENT)).json();
  for (const path of Object.keys(paths)) expect(body).toContain(` ${path}: `);
});
