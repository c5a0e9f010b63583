import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  APICURIO_VERSION,
  type SchemaRegistryService,
  startSchemaRegistry,
} from '../../../test/support/services/schema-registry.ts';
import { noteService } from '../../../test/support/services/services-used.ts';
import { type SchemaRegistry, SchemaRegistryUnavailable, schemaRegistry } from './schema-registry.ts';

let service: SchemaRegistryService;
let registry: SchemaRegistry;

beforeAll(async () => {
  service = await startSchemaRegistry();
  noteService('Apicurio', APICURIO_VERSION, service.origin);
  registry = schemaRegistry({ url: `${service.address}/` });
}, 240_000);
afterAll(() => service?.stop());

interface NewSchema {
  readonly schema: string;
  readonly schemaType?: string;
  readonly references?: readonly object[];
}

/** Registers a schema as a producer does. @returns its id */
async function register(subject: string, schema: NewSchema): Promise<number> {
  const response = await fetch(`${service.address}/subjects/${subject}/versions`, {
    method: 'POST',
    headers: { 'content-type': 'application/vnd.schemaregistry.v1+json' },
    body: JSON.stringify(schema),
  });
  const body = (await response.json()) as { id: number };
  expect(body).toEqual({ id: expect.any(Number) });
  return body.id;
}

async function decode(id: number, bytes: readonly number[]): Promise<unknown> {
  await registry.resolve([id]);
  const found = registry.find(id);
  if (typeof found === 'string') return found;
  return JSON.parse(JSON.stringify(found.decode(Buffer.from([0, 0, 0, 0, id, ...bytes]))));
}

const record = (name: string, field: string, type: unknown): string =>
  JSON.stringify({ type: 'record', name, namespace: 'n', fields: [{ name: field, type }] });

it('reads schemas in Avro, also those that name others', async () => {
  const inner = await register('inner', { schema: record('Inner', 'a', 'long') });
  const outer = await register('outer', {
    schema: record('Outer', 'inner', 'n.Inner'),
    references: [{ name: 'n.Inner', subject: 'inner', version: 1 }],
  });
  expect(await decode(inner, [4])).toEqual({ a: 2 });
  expect(await decode(outer, [4])).toEqual({ inner: { a: 2 } });
});

it('reads schemas in Protobuf, also those that import others', async () => {
  const inner = 'syntax = "proto3"; package n; message Inner { int64 a = 1; }';
  await register('inner.proto', { schema: inner, schemaType: 'PROTOBUF' });
  const outer = await register('outer.proto', {
    schema:
      'syntax = "proto3"; package n; import "inner.proto"; message First {} message Second { Inner inner = 1; }',
    schemaType: 'PROTOBUF',
    references: [{ name: 'inner.proto', subject: 'inner.proto', version: 1 }],
  });
  // Two signed numbers before the message: a path of one index, the index 1.
  expect(await decode(outer, [2, 2, 10, 2, 8, 5])).toEqual({ inner: { a: 5 } });
});

it('reads JSON after the id of a JSON Schema', async () => {
  const id = await register('json', {
    schema: '{"$schema":"http://json-schema.org/draft-07/schema#","type":"object"}',
    schemaType: 'JSON',
  });
  expect(await decode(id, [...Buffer.from('{"a":1}')])).toEqual({ a: 1 });
});

it('does not know an id before it is registered, and asks for it again', async () => {
  const last = await register('last', { schema: record('Last', 'a', 'int') });
  expect(await decode(last + 1, [])).toBe('unknown_schema');
  expect(await register('next', { schema: record('Next', 'b', 'int') })).toBe(last + 1);
  expect(await decode(last + 1, [2])).toEqual({ b: 1 });
});

it('asks a registry with credentials, once for each id', async () => {
  const id = await register('closed', { schema: record('Closed', 'a', 'int') });
  const asked: string[] = [];
  // What stands before a registry that has no users of its own.
  const gate = createServer(async ({ url = '', headers }, response) => {
    asked.push(url);
    if (headers.authorization !== `Basic ${Buffer.from('reader:secret').toString('base64')}`)
      return response.writeHead(401).end('{"error_code":401}');
    const answer = await fetch(service.address + url);
    response.writeHead(answer.status).end(await answer.text());
  });
  await new Promise<void>((resolve) => gate.listen(0, '127.0.0.1', resolve));
  try {
    const url = `http://127.0.0.1:${(gate.address() as AddressInfo).port}`;
    const closed = schemaRegistry({ url, username: 'reader', password: 'secret' });
    await closed.resolve([id]);
    await closed.resolve([id]);
    expect(closed.find(id)).toMatchObject({ decode: expect.any(Function) });
    expect(asked).toEqual([`/schemas/ids/${id}`]);
    await expect(schemaRegistry({ url }).resolve([id])).rejects.toThrow(/responds with 401/);
  } finally {
    gate.close();
  }
});

it('a registry that is down, or none at its address, says nothing about an id', async () => {
  const wrong = schemaRegistry({ url: service.address.replace('/apis/ccompat/v7', '/apis/elsewhere') });
  await expect(wrong.resolve([1])).rejects.toThrow(SchemaRegistryUnavailable);
  await service.kill();
  await expect(schemaRegistry({ url: service.address }).resolve([1])).rejects.toThrow(
    SchemaRegistryUnavailable,
  );
  await expect(registry.resolve([4_000])).rejects.toThrow(/ECONNREFUSED/);
});
