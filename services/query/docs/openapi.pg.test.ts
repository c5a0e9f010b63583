import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { FormatRegistry, Kind, type TSchema, TypeRegistry } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { beforeAll, describe, expect, it } from 'vitest';
import { captureExample } from '../../../test/capture-example.ts';
import { closed } from '../../../test/closed-schema.ts';
import { queryApp } from '../../../test/query-app.ts';
import { withDatabase } from '../../../test/services/database.ts';
import { EXAMPLES_FOLDER, readExamples } from './examples.ts';
import { compareApis } from './openapi/compare-apis.ts';
import { describeApi } from './openapi/describe-api.ts';
import type { ApiDocument } from './openapi/document.ts';
import { nextVersion, withEntry } from './openapi/next-version.ts';
import type { Operation } from './openapi/operation-list.ts';
import { DOCUMENT_FILE, readDocument } from './read-document.ts';

const CHANGELOG_FILE = fileURLToPath(new URL('./changelog.md', import.meta.url));

const KINDS: Readonly<Record<string, string>> = {
  string: 'String',
  number: 'Number',
  integer: 'Integer',
  null: 'Null',
};
const FIRST_VERSION = '2.0.0';

const { pool } = withDatabase();
let operations: readonly Operation[];

beforeAll(async () => {
  for (const format of ['date-time', 'date'])
    FormatRegistry.Set(format, (text) => !Number.isNaN(Date.parse(text)));
  // Schemas that are written by hand: an enumeration, or types beside each other.
  TypeRegistry.Set<TSchema>('Unsafe', ({ enum: values, type, ...rest }, value) =>
    values === undefined
      ? [type].flat().some((one) => Value.Check({ ...rest, type: one, [Kind]: KINDS[one] ?? '' }, value))
      : values.includes(value),
  );
  FormatRegistry.Set('uuid', (text) => /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(text));
  const app = await queryApp(pool);
  await app.ready();
  operations = app.operations;
  await app.close();
});

/** Operations that an example says more of than their schema does. */
const exemplified = () =>
  operations.filter(
    ({ operationId, path, responses }) =>
      path.startsWith('/api/v2') && '200' in responses && operationId !== 'getOpenApi',
  );

/**
 * Writes the document, and what changed into the changelog.
 *
 * @throws Error where clients would break, and that is not what was asked for
 */
function update(before: ApiDocument | null): void {
  if (before === null) {
    writeFileSync(DOCUMENT_FILE, textOf(describeApi(operations, readExamples(), FIRST_VERSION)));
    return;
  }
  const { version } = before.info;
  const same = describeApi(operations, readExamples(), version);
  if (textOf(same) === textOf(before)) return;
  const changes = compareApis(before, same);
  const broken = changes.filter(({ kind }) => kind === 'breaking').map(({ text }) => text);
  if (broken.length > 0 && process.env.UPDATE_OPENAPI !== 'breaking')
    throw new Error(
      `clients would break; UPDATE_OPENAPI=breaking does it all the same:\n${broken.join('\n')}`,
    );
  const next = nextVersion(version, changes);
  writeFileSync(CHANGELOG_FILE, withEntry(readFileSync(CHANGELOG_FILE, 'utf8'), next, changes));
  writeFileSync(DOCUMENT_FILE, textOf({ ...same, info: { ...same.info, version: next } }));
}

const textOf = (document: ApiDocument): string => `${JSON.stringify(document, null, 1)}\n`;

function committed(): ApiDocument | null {
  try {
    return readDocument();
  } catch {
    return null;
  }
}

describe('examples', () => {
  it('are answers that fit the schemas, one of every operation', async () => {
    const { UPDATE_EXAMPLES: url, EXAMPLES_KEY: key } = process.env;
    if (url !== undefined && key !== undefined)
      for (const [operationId, { request }] of readExamples()) {
        const { method = 'get' } =
          operations.find((operation) => operation.operationId === operationId) ?? {};
        const answer = await captureExample({ url, key, method, ...request });
        writeFileSync(
          `${EXAMPLES_FOLDER}${operationId}.json`,
          `${JSON.stringify({ request, answer }, null, 1)}\n`,
        );
      }
    const examples = readExamples();
    expect([...examples.keys()].sort()).toEqual(
      exemplified()
        .map(({ operationId }) => operationId)
        .sort(),
    );
    for (const { operationId, responses, body } of exemplified()) {
      const { request, answer } = examples.get(operationId) ?? {};
      const schema = responses[200] as TSchema;
      // Rows have the columns of their surface.
      const strict = operationId === 'getSurfaceRows' ? schema : closed(schema);
      expect([...Value.Errors(strict, answer)], operationId).toEqual([]);
      if (body !== undefined)
        expect([...Value.Errors(body as TSchema, request?.body)], operationId).toEqual([]);
    }
  });
});

describe('the document', () => {
  it('is the one that the routes make; UPDATE_OPENAPI=1 writes it', () => {
    if (process.env.UPDATE_OPENAPI !== undefined) update(committed());
    const document = readDocument();
    const made = describeApi(operations, readExamples(), document.info.version);
    expect(compareApis(document, made)).toEqual([]);
    expect(made).toEqual(document);
    expect(readFileSync(CHANGELOG_FILE, 'utf8')).toContain(`\n## ${document.info.version}\n`);
  });

  it('has no reference that leads nowhere', () => {
    const document = readDocument();
    const refs = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g)];
    expect(refs.length).toBeGreaterThan(100);
    const components: Readonly<Record<string, object>> = document.components;
    for (const [ref, section = '', name = ''] of refs)
      expect(Object.hasOwn(components[section] ?? {}, name), ref).toBe(true);
  });

  it('says which operations are open, and how the others are opened', () => {
    const listed = Object.entries(readDocument().paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { security }]) => ({ name: `${method} ${path}`, security })),
    );
    const namesOf = (count: number, scheme?: string): string[] =>
      listed
        .filter(({ security }) => security.length === count && (!scheme || scheme in (security[0] ?? {})))
        .map(({ name }) => name);
    expect(namesOf(0)).toEqual([
      'get /api/v2',
      'get /api/v2/openapi.json',
      'get /api/v2/preview/artist',
      'get /status',
      'get /health',
      'get /ready',
    ]);
    expect(namesOf(1, 'BeaconToken')).toEqual([
      'post /api/v2/search-events/observed',
      'post /api/v2/search-events/refined',
    ]);
    expect(namesOf(1, 'ApiKey')).toHaveLength(listed.length - 8);
  });
});
