import { gzipSync } from 'node:zlib';
import type { LightMyRequestResponse } from 'fastify';
import { describe, expect, it } from 'vitest';
import { withWholeService } from '../../../test/support/query/whole-service.ts';
import { type ErrorCode, errorCatalogue } from '../../http/errors.ts';

const { send, app } = withWholeService();
const BATCH = '/api/v2/resolve/batch';
const TRACKS = '/api/v2/tracks/resolve';
const OBSERVED = '/api/v2/search-events/observed';

const post = (
  url: string,
  payload: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): Promise<LightMyRequestResponse> =>
  send({ method: 'POST', url, payload, headers: { 'content-type': 'application/json', ...headers } });

function expectRejected(response: LightMyRequestResponse, code: ErrorCode): void {
  expect(response.json()).toMatchObject({ error: code });
  expect(response.statusCode).toBe(errorCatalogue[code].status);
}

const expectAlive = async (): Promise<void> => expect((await app().inject('/api/v2')).statusCode).toBe(200);

describe('a deeply nested body', () => {
  const DEPTH = 60_000;
  const arrays = '['.repeat(DEPTH) + ']'.repeat(DEPTH);
  const objects = `${'{"a":'.repeat(DEPTH / 2)}1${'}'.repeat(DEPTH / 2)}`;

  it.each([BATCH, TRACKS])('is rejected as an invalid query: %s', async (url) => {
    for (const body of [
      arrays,
      objects,
      `{"locators":${arrays}}`,
      `{"tracks":${arrays}}`,
      `{"tracks":[{"title":"a","artist":${objects}}]}`,
    ])
      expectRejected(await post(url, body), 'invalid_query');
    await expectAlive();
  });

  it('in one entry fails only that entry', async () => {
    const response = await post(BATCH, `{"locators":[${objects},{"q":"a"}]}`);
    expect(response.statusCode).toBe(200);
    expect(response.json().results).toMatchObject([
      { index: 0, error: 'missing_locator' },
      { index: 1, cluster_id: null },
    ]);
  });

  it('that is not closed is rejected as invalid JSON', async () => {
    for (const body of ['['.repeat(200_000), '{"a":'.repeat(40_000), `"${'\\u00'.repeat(10_000)}`])
      expectRejected(await post(BATCH, body), 'invalid_json');
    await expectAlive();
  });
});

describe('a large body', () => {
  it('is rejected before it is read', async () => {
    const sizes = [256 * 1024 + 1, 10 * 1024 * 1024];
    for (const size of sizes) {
      const rejected = await post(BATCH, JSON.stringify('a'.repeat(size - 2)));
      expectRejected(rejected, 'payload_too_large');
      // The rest of the body is not parsed as the next request.
      expect(rejected.headers.connection).toBe('close');
    }
    expectRejected(await post(OBSERVED, `"${'a'.repeat(511)}"`), 'payload_too_large');
  });

  it('is rejected if it has too many entries or too long a value', async () => {
    const locators = JSON.stringify({ locators: Array.from({ length: 101 }, () => ({ q: 'a' })) });
    expectRejected(await post(BATCH, locators), 'invalid_query');
    const tracks = JSON.stringify({ tracks: Array.from({ length: 51 }, () => ({ title: 'a' })) });
    expectRejected(await post(TRACKS, tracks), 'invalid_query');
    expectRejected(
      await post(TRACKS, JSON.stringify({ tracks: [{ title: 'a'.repeat(301) }] })),
      'invalid_query',
    );
  });
});

describe('a body that sets prototypes', () => {
  it.each([
    '{"__proto__":{"isAdmin":true},"locators":[{"q":"a"}]}',
    '{"\\u005f_proto__":{"isAdmin":true},"locators":[{"q":"a"}]}',
    '{"locators":[{"q":"a","__proto__":{"isAdmin":true}}]}',
    '{"constructor":{"prototype":{"isAdmin":true}},"locators":[{"q":"a"}]}',
  ])('is rejected: %s', async (body) => {
    expectRejected(await post(BATCH, body), 'invalid_json');
    expect(Object.hasOwn(Object.prototype, 'isAdmin')).toBe(false);
  });

  it.each(['constructor', 'toString', 'hasOwnProperty', 'valueOf'])(
    'through a name that every object inherits gets an error with that name: %s',
    async (name) => {
      const rejected = await post(TRACKS, JSON.stringify({ tracks: [{ title: 'a', [name]: 'b' }] }));
      expectRejected(rejected, 'invalid_query');
      expect(rejected.json().details).toEqual([
        { path: `tracks.0.${name}`, message: 'is not a field that is known here' },
      ]);
    },
  );
});

describe('a body that does not match its headers', () => {
  const BODY = '{"locators":[{"q":"a"}]}';

  it.each(['gzip', 'GZIP', 'br', 'deflate', 'gzip, gzip', 'identity, gzip'])(
    'is rejected if compressed: %s',
    async (coding) => {
      const rejected = await post(BATCH, gzipSync(BODY), { 'content-encoding': coding });
      expectRejected(rejected, 'unsupported_media_type');
      expect(rejected.headers['accept-encoding']).toBe('identity');
      expect(rejected.json().message).toContain('compressed');
      const beacon = await post(OBSERVED, gzipSync('{}'), { 'content-encoding': coding });
      expect([beacon.statusCode, beacon.json()]).toEqual([415, { error: 'unsupported_media_type' }]);
    },
  );

  it.each(['utf-16', 'iso-8859-1', '"utf-32"', 'utf-7', 'nonsense'])(
    'is rejected in another charset: %s',
    async (charset) => {
      const rejected = await post(BATCH, BODY, { 'content-type': `application/json; charset=${charset}` });
      expectRejected(rejected, 'unsupported_media_type');
      expect(rejected.json().message).toContain('UTF-8');
    },
  );

  it.each(['application/json', 'application/json;charset=utf-8', 'Application/JSON; Charset="UTF-8"'])(
    'is accepted with any spelling of JSON: %s',
    async (type) => {
      const taken = await post(BATCH, BODY, { 'content-type': type, 'content-encoding': 'identity' });
      expect([taken.statusCode, taken.json().results.length]).toEqual([200, 1]);
    },
  );

  it.each([
    'text/plain',
    'text/json',
    'application/xml',
    'multipart/form-data; boundary=a',
    'application/x-www-form-urlencoded',
  ])('is rejected with another media type: %s', async (type) => {
    expectRejected(await post(BATCH, BODY, { 'content-type': type }), 'unsupported_media_type');
  });

  it.each([
    ['a lone byte', [0xff]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['an overlong NUL', [0xc0, 0x80]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['beyond the last character', [0xf4, 0x90, 0x80, 0x80]],
    ['cut short', [0xe2, 0x82]],
    ['Latin 1', [0xe9]],
  ])('is rejected if it is not UTF-8: %s', async (_name, bytes) => {
    const body = Buffer.concat([Buffer.from('{"locators":[{"q":"'), Buffer.from(bytes), Buffer.from('"}]}')]);
    expectRejected(await post(BATCH, body), 'invalid_json');
  });
});

it('text that the database cannot store gets a response or a client error', async () => {
  for (const text of [
    '\\u0000',
    'a\\u0000b',
    '\\ud800',
    '\\udc00\\ud800',
    '\\u202eabc',
    'e\\u0301',
    '\\ufeff',
    '\\uffff',
  ]) {
    const batch = await post(BATCH, `{"locators":[{"q":"${text}"},{"artist":"${text}","track":"${text}"}]}`);
    expect([batch.statusCode, batch.json().results.length], text).toEqual([200, 2]);
    const tracks = await post(TRACKS, `{"tracks":[{"artist":"${text}","title":"${text}"}]}`);
    expect(tracks.statusCode, `${text} ${tracks.body}`).toBeLessThan(500);
    if (tracks.statusCode === 200) expect(tracks.json().state, text).toBe('ok');
  }
  await expectAlive();
});
