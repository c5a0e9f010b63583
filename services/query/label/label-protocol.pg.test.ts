import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { BASE_URL } from '../../../test/support/query/app.ts';
import { FOLDED, UNKNOWN_LABEL, withLabels } from '../../../test/support/query/label-service.ts';
import { LABEL } from '../../../test/support/rows/label.ts';

const { pool, get, getWithoutKey, dossier, passTime } = withLabels();

describe('validators', () => {
  it('return 304 to a client that has the dossier', async () => {
    for (const requested of ['warp', LABEL, UNKNOWN_LABEL, 'nobody']) {
      const { headers } = await get(`/api/v2/label/${requested}`);
      const etag = String(headers.etag);
      expect(etag).toMatch(/^W\/"[0-9a-f]{32}-[0-9a-f]{8}"$/);
      passTime(60_000);
      const response = await get(`/api/v2/dossier/label/${requested}`, { 'if-none-match': etag });
      expect(response.statusCode, requested).toBe(304);
      expect(response.rawPayload).toHaveLength(0);
      expect(response.headers).toMatchObject({ etag, 'cache-control': 'private, no-cache' });
      const other = await get(`/api/v2/label/${requested}`, { 'if-none-match': '"other"' });
      expect(other.statusCode).toBe(200);
    }
  });

  it('differ by dossier', async () => {
    const requested = ['warp', LABEL, 'rival', 'folded', FOLDED, UNKNOWN_LABEL, 'nobody', 'nobody-else'];
    const tags = await Promise.all(
      requested.map(async (one) => (await get(`/api/v2/label/${one}`)).headers.etag),
    );
    expect(new Set(tags).size).toBe(requested.length);
  });

  it('are those of GET for HEAD, which has no body', async () => {
    const head = await get('/api/v2/label/warp', {}, 'HEAD');
    const got = await get('/api/v2/label/warp');
    expect(head.statusCode).toBe(200);
    expect(head.rawPayload).toHaveLength(0);
    for (const name of ['content-length', 'content-type', 'etag', 'vary'])
      expect(head.headers[name], name).toBe(got.headers[name]);
  });
});

it('sends gzip to clients that accept it and plain JSON to others', async () => {
  const zipped = await get('/api/v2/label/warp', { 'accept-encoding': 'gzip' });
  const plain = await get('/api/v2/label/warp', { 'accept-encoding': 'identity' });
  expect([zipped.headers['content-encoding'], plain.headers['content-encoding']]).toEqual([
    'gzip',
    undefined,
  ]);
  expect(gunzipSync(zipped.rawPayload).toString()).toBe(plain.body);
});

describe('statements', () => {
  afterEach(() => vi.restoreAllMocks());

  const requested = [
    `/api/v2/label/${LABEL}`,
    '/api/v2/label/warp',
    '/api/v2/dossier/label/warp',
    `/api/v2/label/${UNKNOWN_LABEL}`,
    '/api/v2/label/nobody',
  ];

  it('are one per dossier and use an index', async () => {
    const statements = vi.spyOn(pg.Client.prototype, 'query');
    const sent: pg.QueryConfig[] = [];
    for (const path of requested) {
      statements.mockClear();
      expect((await get(path)).statusCode).toBe(200);
      expect(statements, path).toHaveBeenCalledTimes(1);
      sent.push(statements.mock.calls[0]?.[0] as unknown as pg.QueryConfig);
    }
    statements.mockRestore();
    for (const { text, values } of sent) expect(await planOf(text, values ?? [])).not.toContain('Seq Scan');
  });

  it('are none for an invalid key', async () => {
    const statements = vi.spyOn(pg.Client.prototype, 'query');
    expect((await get('/api/v2/label/catalog:12')).statusCode).toBe(400);
    expect(statements).not.toHaveBeenCalled();
  });

  /** The plan for a table too large for a full scan. */
  async function planOf(text: string, values: unknown[]): Promise<string> {
    const client = await pool.connect();
    try {
      await client.query('begin; set local enable_seqscan = off');
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values);
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    } finally {
      await client.query('rollback');
      client.release();
    }
  }
});

describe('rejections', () => {
  it.each([
    ['a catalogue locator', 'catalog:12'],
    ['an encoded catalogue locator', 'catalog%3A12'],
    ['a metadata locator', 'mbid:0f0e0d0c-0b0a-4908-8706-050403020100'],
    ['another scheme', 'cluster:abc'],
    ['an empty key', ''],
    ['blanks', '%20%20'],
    ['201 characters', 'a'.repeat(201)],
    ['201 characters beyond ASCII', encodeURIComponent('🎧'.repeat(201))],
    ['thousands of characters', 'a'.repeat(6_000)],
    ['NUL', 'a%00b'],
    ['a line end', 'a%0Ab'],
    ['a slash', 'a%2Fb'],
    ['percent-encoding cut short', 'a%2'],
    ['bytes that are not UTF-8', '%FF'],
  ])('of %s', async (_name, requested) => {
    for (const path of ['/api/v2/label', '/api/v2/dossier/label']) {
      const rejected = await get(`${path}/${requested}`);
      expect(rejected.statusCode).toBe(400);
      expect(rejected.json()).toMatchObject({
        error: 'invalid_label_key',
        message: expect.any(String),
        hint: expect.any(String),
        doc_url: `${BASE_URL}/docs/api#error-invalid_label_key`,
      });
    }
  });

  it('name the parameter of the route', async () => {
    expect((await get('/api/v2/label/catalog:12')).json().param).toBe('key');
    expect((await get('/api/v2/dossier/label/catalog:12')).json().param).toBe('slug');
  });

  it('of requests without an API key', async () => {
    for (const path of ['/api/v2/label/warp', '/api/v2/dossier/label/warp'])
      expect((await getWithoutKey(path)).json()).toMatchObject({ error: 'missing_api_key' });
  });

  it('do not concern keys of 1 and of 200 characters', async () => {
    for (const requested of ['a', '東', 'a'.repeat(200), '🎧'.repeat(200)])
      expect(await dossier(requested)).toMatchObject({ slug: requested, identity: null });
  });
});
