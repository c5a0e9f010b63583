import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { FOLDED, UNKNOWN, withLabels } from '../../test/label-service.ts';
import { BASE_URL } from '../../test/query-app.ts';
import { LABEL } from '../../test/rows/label.ts';

const { pool, get, getWithoutKey, dossier, passTime } = withLabels();

describe('validators', () => {
  it('answer 304 to who has the dossier already', async () => {
    for (const asked of ['warp', LABEL, UNKNOWN, 'nobody']) {
      const { headers } = await get(`/api/v2/label/${asked}`);
      const etag = String(headers.etag);
      expect(etag).toMatch(/^W\/"[0-9a-f]{32}-[0-9a-f]{8}"$/);
      passTime(60_000);
      const answer = await get(`/api/v2/dossier/label/${asked}`, { 'if-none-match': etag });
      expect(answer.statusCode, asked).toBe(304);
      expect(answer.rawPayload).toHaveLength(0);
      expect(answer.headers).toMatchObject({ etag, 'cache-control': 'private, no-cache' });
      const other = await get(`/api/v2/label/${asked}`, { 'if-none-match': '"other"' });
      expect(other.statusCode).toBe(200);
    }
  });

  it('tell dossiers apart', async () => {
    const asked = ['warp', LABEL, 'rival', 'folded', FOLDED, UNKNOWN, 'nobody', 'nobody-else'];
    const tags = await Promise.all(
      asked.map(async (one) => (await get(`/api/v2/label/${one}`)).headers.etag),
    );
    expect(new Set(tags).size).toBe(asked.length);
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

it('sends gzip to those who take it, and plain JSON to the rest', async () => {
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

  const asked = [
    `/api/v2/label/${LABEL}`,
    '/api/v2/label/warp',
    '/api/v2/dossier/label/warp',
    `/api/v2/label/${UNKNOWN}`,
    '/api/v2/label/nobody',
  ];

  it('are one a dossier, and each finds its row by an index', async () => {
    const statements = vi.spyOn(pg.Client.prototype, 'query');
    const sent: pg.QueryConfig[] = [];
    for (const path of asked) {
      statements.mockClear();
      expect((await get(path)).statusCode).toBe(200);
      expect(statements, path).toHaveBeenCalledTimes(1);
      sent.push(statements.mock.calls[0]?.[0] as unknown as pg.QueryConfig);
    }
    statements.mockRestore();
    for (const { text, values } of sent) expect(await planOf(text, values ?? [])).not.toContain('Seq Scan');
  });

  it('are none for a key that is none', async () => {
    const statements = vi.spyOn(pg.Client.prototype, 'query');
    expect((await get('/api/v2/label/catalog:12')).statusCode).toBe(400);
    expect(statements).not.toHaveBeenCalled();
  });

  /** How the database would go about it in a table so large that reading all of it is out of the question. */
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

describe('refusals', () => {
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
  ])('meet %s', async (_name, asked) => {
    for (const path of ['/api/v2/label', '/api/v2/dossier/label']) {
      const refused = await get(`${path}/${asked}`);
      expect(refused.statusCode).toBe(400);
      expect(refused.json()).toMatchObject({
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

  it('meet parameters behind the question mark, of which there are none', async () => {
    for (const path of ['/api/v2/label/warp', '/api/v2/dossier/label/warp']) {
      const refused = await get(`${path}?fields=identity`);
      expect(refused.statusCode).toBe(400);
      expect(refused.json()).toMatchObject({
        error: 'invalid_query',
        param: 'fields',
        details: [{ path: 'fields', message: 'is not a parameter of this route' }],
      });
    }
  });

  it('meet those without a key', async () => {
    for (const path of ['/api/v2/label/warp', '/api/v2/dossier/label/warp'])
      expect((await getWithoutKey(path)).json()).toMatchObject({ error: 'missing_api_key' });
  });

  it('are none for keys of 1 and of 200 characters', async () => {
    for (const asked of ['a', '東', 'a'.repeat(200), '🎧'.repeat(200)])
      expect(await dossier(asked)).toMatchObject({ slug: asked, identity: null });
  });
});
