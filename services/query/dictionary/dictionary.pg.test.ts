import type { TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { expect, it } from 'vitest';
import {
  compileDictionary,
  DictionaryEntry,
  readDictionary,
} from '../../../projections/models/semantics/dictionary.ts';
import { describedSurfaces } from '../../../projections/models/semantics/index.ts';
import { closed } from '../../../test/support/http/closed-schema.ts';
import { withQueryService } from '../../../test/support/query/service.ts';
import { DictionaryBody } from './route.ts';

const MARKDOWN = '/api/v2/semantics/dictionary';
const ENTRIES = '/api/v2/semantics/dictionary.json';

const service = withQueryService();

const { get } = service;
const faults = (schema: TSchema, value: unknown) => [...Value.Errors(closed(schema), value)];

it('is served as Markdown', async () => {
  const response = await get(MARKDOWN);
  expect(response.statusCode).toBe(200);
  const body = response.json();
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

it('is Markdown itself for clients that prefer it', async () => {
  const { body } = (await get(MARKDOWN)).json();
  for (const accept of ['text/markdown', 'text/markdown, application/json;q=0.5']) {
    const response = await get(MARKDOWN, { accept });
    expect(response.headers).toMatchObject({
      'content-type': 'text/markdown; charset=utf-8',
      vary: expect.stringContaining('Accept'),
      'x-dictionary-source-sha': compileDictionary().source_sha,
    });
    expect(response.body).toBe(body);
    const again = await get(MARKDOWN, { accept, 'if-none-match': String(response.headers.etag) });
    expect(again.statusCode).toBe(304);
    // A cached response in one form is not current in the other.
    expect((await get(MARKDOWN, { 'if-none-match': String(response.headers.etag) })).statusCode).toBe(200);
  }
  for (const accept of ['*/*', 'application/json', 'text/markdown;q=0.5, application/json'])
    expect((await get(MARKDOWN, { accept })).json()).toMatchObject({ format: 'markdown', body });
});

it('is served by entry', async () => {
  const response = await get(ENTRIES);
  expect(response.statusCode).toBe(200);
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
  const { entries, ...head } = response.json();
  expect(head).toEqual({ schema_version: 1, generator: 'linernotes/projections/semantics' });
  expect(entries).toEqual(compileDictionary().entries);
  const names = Object.keys(entries);
  expect(names.length).toBeGreaterThanOrEqual(35);
  for (const name of names) {
    expect(faults(DictionaryEntry, entries[name]), name).toEqual([]);
    expect([null, name]).toContain(entries[name].surface);
  }
});

it('has its provenance in headers that browsers can read', async () => {
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

it('is not sent again to a client that has it', async () => {
  for (const path of [MARKDOWN, ENTRIES]) {
    const etag = String((await get(path)).headers.etag);
    expect(etag).toBe(`W/"${compileDictionary().source_sha}"`);
    const again = await get(path, { 'if-none-match': etag });
    expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, '', etag]);
    expect(again.headers['x-dictionary-source-sha']).toBe(compileDictionary().source_sha);
    expect((await get(path, { 'if-none-match': '"other"' })).statusCode).toBe(200);
  }
});

it('needs an API key', async () => {
  for (const path of [MARKDOWN, ENTRIES]) expect((await service.app().inject(path)).statusCode).toBe(401);
});
