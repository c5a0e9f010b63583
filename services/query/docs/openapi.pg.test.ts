import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { captureExample } from '../../../test/support/openapi/capture-example.ts';
import { committedDocument, listOperations } from '../../../test/support/openapi/committed-document.ts';
import { compareApis } from '../../../test/support/openapi/compare-apis.ts';
import { apiDescriber } from '../../../test/support/openapi/describe-api.ts';
import type { ApiDocument, JsonSchema, OperationObject } from '../../../test/support/openapi/document.ts';
import { EXAMPLES_FOLDER, readExamples } from '../../../test/support/openapi/examples.ts';
import { nextVersion, withEntry } from '../../../test/support/openapi/next-version.ts';
import { queryApp } from '../../../test/support/query/app.ts';
import { withDatabase } from '../../../test/support/services/database.ts';
import { DOCUMENT_FILE } from './read-document.ts';

const CHANGELOG_FILE = fileURLToPath(new URL('./changelog.md', import.meta.url));

const { pool } = withDatabase();
let generated: ApiDocument;

/** The document generated from the routes and the current examples. */
async function generate(): Promise<void> {
  const describer = apiDescriber();
  const app = await queryApp(pool, { observeRoutes: describer.observeRoutes });
  await app.ready();
  generated = describer.describe(app, readExamples(), committedDocument().info.version);
  await app.close();
}
beforeAll(generate);

const textOf = (document: ApiDocument): string => `${JSON.stringify(document, null, 1)}\n`;

/**
 * Writes the generated document with its next version, and the changes into the changelog.
 *
 * @throws Error where a change breaks clients, unless `mayBreak`
 */
function update(mayBreak: boolean): void {
  const before = committedDocument();
  if (textOf(generated) === textOf(before)) return;
  const changes = compareApis(before, generated);
  const broken = changes.filter(({ kind }) => kind === 'breaking').map(({ text }) => text);
  if (broken.length > 0 && !mayBreak)
    throw new Error(
      `Clients would break. UPDATE_OPENAPI=breaking writes the document anyway:\n${broken.join('\n')}`,
    );
  const version = nextVersion(before.info.version, changes);
  generated = { ...generated, info: { ...generated.info, version } };
  writeFileSync(CHANGELOG_FILE, withEntry(readFileSync(CHANGELOG_FILE, 'utf8'), version, changes));
  writeFileSync(DOCUMENT_FILE, textOf(generated));
}

const bodyOf = (operation: OperationObject): JsonSchema | undefined =>
  operation.requestBody?.content['application/json']?.schema;

/** The schema of the response with status 200; undefined for operations without an example. */
function foundOf({ operationId, responses }: OperationObject): JsonSchema | undefined {
  const found = responses[200];
  if (found === undefined || '$ref' in found || operationId === 'getOpenApi') return undefined;
  const { $ref = '' } = found.content?.['application/json']?.schema ?? {};
  return generated.components.schemas[$ref.slice($ref.lastIndexOf('/') + 1)];
}

/** The schema that rejects undeclared members, at every depth. */
function closed(schema: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema), (_name, value) =>
    value?.properties === undefined || value.type === undefined
      ? value
      : { ...value, additionalProperties: false },
  );
}

const ajv = new Ajv2020({ strict: false, allErrors: true });
for (const format of ['date-time', 'date'])
  ajv.addFormat(format, (text: string) => !Number.isNaN(Date.parse(text)));
ajv.addFormat('uuid', /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/);

function expectValid(schema: JsonSchema, value: unknown, name: string): void {
  ajv.validate(schema, value);
  expect(ajv.errors ?? [], name).toEqual([]);
}

describe('examples', () => {
  it('exist for every operation and match its schema', async () => {
    const { UPDATE_EXAMPLES: url, EXAMPLES_KEY: key } = process.env;
    if (url !== undefined && key !== undefined) {
      for (const [operationId, { request }] of readExamples()) {
        const { method = 'get' } =
          listOperations().find(({ operation }) => operation.operationId === operationId) ?? {};
        const answer = await captureExample({ url, key, method, ...request });
        const text = JSON.stringify({ request, answer }, null, 1);
        writeFileSync(`${EXAMPLES_FOLDER}${operationId}.json`, `${text}\n`);
      }
      await generate();
    }
    const examples = readExamples();
    const operations = listOperations(generated)
      .filter(({ path, operation }) => path.startsWith('/api/v2') && foundOf(operation) !== undefined)
      .map(({ operation }) => operation);
    expect([...examples.keys()].sort()).toEqual(operations.map(({ operationId }) => operationId).sort());
    for (const operation of operations) {
      const { operationId } = operation;
      const { request, answer } = examples.get(operationId) ?? {};
      const schema = foundOf(operation) ?? {};
      // Rows have the columns of their surface.
      expectValid(operationId === 'getSurfaceRows' ? schema : closed(schema), answer, operationId);
      const body = bodyOf(operation);
      if (body !== undefined) expectValid(body, request?.body, operationId);
    }
  });
});

describe('the document', () => {
  it('equals the generated one; UPDATE_OPENAPI=1 writes it', () => {
    const { UPDATE_OPENAPI: mode } = process.env;
    if (mode !== undefined) update(mode === 'breaking');
    const document = committedDocument();
    expect(compareApis(document, generated)).toEqual([]);
    expect(generated).toEqual(document);
    expect(readFileSync(CHANGELOG_FILE, 'utf8')).toContain(`\n## ${document.info.version}\n`);
  });

  it('has examples of required parameters only, because forms are filled with them', () => {
    for (const { path, operation } of listOperations())
      for (const parameter of operation.parameters)
        if ('name' in parameter && !parameter.required) expect(parameter, path).not.toHaveProperty('example');
  });

  it('has examples of errors that match their schemas', () => {
    const { components } = committedDocument();
    const examples = Object.values(components.responses).flatMap(({ content = {} }) =>
      Object.values(content).flatMap(({ schema, examples = {} }) =>
        Object.entries(examples).map(([code, { value }]) => ({ schema, code, value })),
      ),
    );
    expect(new Set(examples.map(({ code }) => code)).size).toBeGreaterThan(20);
    for (const { schema, code, value } of examples) {
      expectValid({ ...schema, components } as JsonSchema, value, code);
      expect(value).toHaveProperty('error', code);
    }
  });

  it('has no reference without a target', () => {
    const document = committedDocument();
    const refs = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g)];
    expect(refs.length).toBeGreaterThan(100);
    const components: Readonly<Record<string, object>> = document.components;
    for (const [ref, section = '', name = ''] of refs)
      expect(Object.hasOwn(components[section] ?? {}, name), ref).toBe(true);
  });

  it('declares which operations are public, and how clients authenticate for the others', () => {
    const listed = listOperations().map(({ path, method, operation: { security } }) => ({
      name: `${method} ${path}`,
      security,
    }));
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
