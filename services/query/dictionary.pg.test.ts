import { FormatRegistry, type TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  compileDictionary,
  DictionaryEntry,
  readDictionary,
} from '../../projections/semantics/dictionary.ts';
import { describedSurfaces } from '../../projections/semantics/index.ts';
import { closed } from '../../test/closed-schema.ts';
import { keyHeader, queryApp } from '../../test/query-app.ts';
import { withDatabase } from '../../test/services/database.ts';
import { DictionaryBody } from './schemas/dictionary.ts';

const MARKDOWN = '/api/v2/semantics/dictionary';
const ENTRIES = '/api/v2/semantics/dictionary.json';

const { pool } = withDatabase();
let app: FastifyInstance;
let key: { 'x-api-key': string };

beforeAll(async () => {
  FormatRegistry.Set('date', (text) => /^\d{4}-\d{2}-\d{2}$/.test(text));
  app = await queryApp(pool);
  key = await keyHeader(pool);
});
afterAll(() => app.close());

const get = (url: string, headers: Record<string, string> = {}): Promise<LightMyRequestResponse> =>
  app.inject({ url, headers: { ...key, ...headers } });
const faults = (schema: TSchema, value: unknown) => [...Value.Errors(closed(schema), value)];

it('is served as one text', async () => {
  const answer = await get(MARKDOWN);
  expect(answer.statusCode).toBe(200);
  const body = answer.json();
  expect(faults(DictionaryBody, body)).toEqual([]);
  expect(body).toMatchObject({
    object: 'semantics.dictionary',
    format: 'markdown',
    source: 'linernotes/projections/semantics: archive, fleet, mirror, seen, sync',
    source_sha: compileDictionary().source_sha,
    vendored_at: readDictionary().vendored_at,
  });
  for (const { source, semantics } of describedSurfaces) {
    expect(body.body).toContain(`### ${source.table}\n\n${semantics.audience_blurb}\n`);
    for (const caveat of semantics.caveats) expect(body.body).toContain(`\n- ${caveat}\n`);
  }
});

it('is served by entry', async () => {
  const answer = await get(ENTRIES);
  expect(answer.statusCode).toBe(200);
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  const { entries, ...head } = answer.json();
  expect(head).toEqual({ schema_version: 1, generator: 'linernotes/projections/semantics' });
  expect(entries).toEqual(compileDictionary().entries);
  const names = Object.keys(entries);
  expect(names.length).toBeGreaterThanOrEqual(35);
  for (const name of names) {
    expect(faults(DictionaryEntry, entries[name]), name).toEqual([]);
    expect([null, name]).toContain(entries[name].surface);
  }
});

it('says in its headers what it was compiled from and when, and a browser may read them', async () => {
  for (const path of [MARKDOWN, ENTRIES]) {
    const { headers } = await get(path);
    expect(headers).toMatchObject({
      'x-dictionary-source-sha': compileDictionary().source_sha,
      'x-dictionary-vendored-at': readDictionary().vendored_at,
      'cache-control': 'private, max-age=300',
    });
    const exposed = String(headers['access-control-expose-headers']).toLowerCase().split(', ');
    expect(exposed).toEqual(expect.arrayContaining(['x-dictionary-source-sha', 'x-dictionary-vendored-at']));
  }
});

it('is not sent again to who has it', async () => {
  for (const path of [MARKDOWN, ENTRIES]) {
    const etag = String((await get(path)).headers.etag);
    expect(etag).toBe(`W/"${compileDictionary().source_sha}"`);
    const again = await get(path, { 'if-none-match': etag });
    expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, '', etag]);
    expect(again.headers['x-dictionary-source-sha']).toBe(compileDictionary().source_sha);
    expect((await get(path, { 'if-none-match': '"other"' })).statusCode).toBe(200);
  }
});

it('takes no parameters, and wants a key', async () => {
  for (const path of [MARKDOWN, ENTRIES]) {
    const refused = await get(`${path}?format=html`);
    expect([refused.statusCode, refused.json().param]).toEqual([400, 'format']);
    expect((await app.inject(path)).statusCode).toBe(401);
  }
});
