import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { avroSchema } from '../schemas/avro-schema.ts';
import type { KnownSchemas } from '../schemas/message-schema.ts';
import { decodeRecord } from './envelope.ts';

interface Captured {
  readonly schemas: Readonly<Record<string, { readonly schema: string }>>;
  readonly records: readonly {
    readonly topic: string;
    readonly key: string | null;
    readonly value: string | null;
    readonly headers: Readonly<Record<string, string>>;
    readonly offset: number;
    readonly timestamp: number;
  }[];
}

/**
 * Records that Debezium 3.4.3 wrote with Apicurio's AvroConverter 2.6.13, with CloudEventsConverter and with
 * ExtractNewRecordState, and the registry's schemas. Captured by
 * `CAPTURE_FORMATS=workers/ingest/decode/captured-formats.json npm run test:debezium -- formats`.
 */
const captured: Captured = JSON.parse(
  readFileSync(new URL('captured-formats.json', import.meta.url), 'utf8'),
);
const compiled = new Map(
  Object.entries(captured.schemas).map(([id, { schema }]) => [id, avroSchema(schema)]),
);
const schemas: KnownSchemas = { find: (id) => compiled.get(String(id)) ?? 'unknown_schema' };
const bytes = (base64: string | null): Buffer | null =>
  base64 === null ? null : Buffer.from(base64, 'base64');

function decodeAll(format: string, known?: KnownSchemas) {
  const records = captured.records.filter(({ topic }) => topic.startsWith(`${format}.`));
  return records.map(({ topic, key, value, headers, offset, timestamp }) =>
    decodeRecord(
      {
        topic,
        headers,
        offset,
        timestamp,
        key: bytes(key),
        value: bytes(value),
        readFrom: { topic, partition: 0 },
      },
      { prefix: format, epoch: () => 0, schemas: known },
    ),
  );
}

it('a CloudEvent is of the time that its attribute states, not of the time of its record', () => {
  const stated = captured.records
    .filter(({ topic, value }) => topic.startsWith('cloudevents.') && value !== null)
    .map(({ value }) => Number(JSON.parse(String(bytes(value))).iodebeziumtsms));
  const decoded = decodeAll('cloudevents').flatMap((each) =>
    each.kind === 'upsert' || each.kind === 'delete' ? [each.sourceTimeMs] : [],
  );
  expect(decoded).toEqual(stated);
});

describe.each(['avro', 'cloudevents', 'flattened', 'both'])('captured records: %s', (format) => {
  it('are changes with a log position, of their connector, without columns of the format', () => {
    const decoded = decodeAll(format, schemas);
    expect(decoded.filter(({ kind }) => kind === 'upsert').length).toBeGreaterThan(1);
    for (const each of decoded) {
      expect(['upsert', 'delete', 'tombstone']).toContain(each.kind);
      if (each.kind === 'upsert' || each.kind === 'delete')
        expect(each).toMatchObject({ form: 'log', connector: format });
      if (each.kind === 'upsert')
        expect(Object.keys(JSON.parse(each.row)).sort()).toEqual(Object.keys(each.source.columns).sort());
    }
  });
});

it('a record in Avro says why it cannot be read', () => {
  for (const each of decodeAll('avro').filter(({ kind }) => kind === 'rejected'))
    expect(each).toMatchObject({ violations: [{ reason: 'no_schema_registry' }] });
  const unknown: KnownSchemas = { find: () => 'unknown_schema' };
  expect(decodeAll('avro', unknown)[0]).toMatchObject({
    violations: [{ field: 'value', reason: 'unknown_schema' }],
  });
});
