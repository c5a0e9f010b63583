import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { registerCompression } from '../../workers/ingest/consume/compression.ts';
import { randomFrom } from '../faults/random.ts';
import type { ConnectorConfig } from './connector.ts';
import { insertRows, type ProducerTable, sampleRows } from './producer-table.ts';
import { randomStatements } from './random-changes.ts';
import { type DebeziumStage, openStage } from './stage.ts';
import { tables } from './tables.ts';
import { type LoggedRecord, readTopics } from './topic-log.ts';

const ROWS = 60;
const TRANSACTIONS = 40;

/** How a connector writes, and the tables that it captures. Its prefix is the name of the format. */
interface Format {
  readonly tables: readonly string[];
  readonly settings: (stage: DebeziumStage) => ConnectorConfig;
}

const compressedBy = (type: string): ConnectorConfig => ({ 'producer.override.compression.type': type });

/** Apicurio's converter in Confluent's wire format: ids of content in four bytes, before the value. */
function avroFor(part: 'key' | 'value', { schemas }: DebeziumStage): ConnectorConfig {
  return {
    [`${part}.converter`]: 'io.apicurio.registry.utils.converter.AvroConverter',
    [`${part}.converter.apicurio.registry.url`]: schemas?.ownApi ?? '',
    [`${part}.converter.apicurio.registry.auto-register`]: 'true',
    [`${part}.converter.apicurio.registry.find-latest`]: 'true',
    [`${part}.converter.apicurio.registry.headers.enabled`]: 'false',
    [`${part}.converter.apicurio.registry.as-confluent`]: 'true',
    [`${part}.converter.apicurio.registry.use-id`]: 'contentId',
  };
}

const flattened: ConnectorConfig = {
  transforms: 'unwrap',
  'transforms.unwrap.type': 'io.debezium.transforms.ExtractNewRecordState',
  'transforms.unwrap.add.fields': 'op,lsn,source.ts_ms,source.sequence,source.snapshot,source.name',
  'transforms.unwrap.delete.tombstone.handling.mode': 'rewrite-with-tombstone',
};

const FORMATS: Readonly<Record<string, Format>> = {
  avro: {
    tables: ['catalog.master', 'seen.artist_momentum', 'seen.radio_play_v1'],
    settings: (stage) => ({
      ...avroFor('key', stage),
      ...avroFor('value', stage),
      ...compressedBy('zstd'),
      'decimal.handling.mode': 'precise',
      'time.precision.mode': 'connect',
    }),
  },
  cloudevents: {
    tables: ['seen.performing_entity', 'seen.dj_champion'],
    settings: () => ({
      'value.converter': 'io.debezium.converters.CloudEventsConverter',
      'value.converter.serializer.type': 'json',
      'value.converter.data.serializer.type': 'json',
      ...compressedBy('lz4'),
    }),
  },
  flattened: {
    tables: ['seen.festival', 'mb.recording'],
    settings: () => ({ ...flattened, ...compressedBy('snappy') }),
  },
  both: {
    tables: ['storefront.track'],
    settings: (stage) => ({ ...avroFor('value', stage), ...flattened, ...compressedBy('gzip') }),
  },
};

/** Writes a record of each format and operation, as unit tests read them, with the schemas that they name. */
async function captureRecords(records: readonly LoggedRecord[], registry: string): Promise<void> {
  const kept = new Map<string, LoggedRecord>();
  for (const record of records) {
    const { topic, message, value } = record;
    const [format = ''] = topic.split('.');
    const op = /"(?:op|iodebeziumop|__op)":"(.)"/.exec(value ?? '')?.[1] ?? String(message.value?.length);
    const key = `${topic} ${format === 'avro' || format === 'both' ? (value === null ? '' : kept.size % 3) : op}`;
    if (!kept.has(key)) kept.set(key, record);
  }
  const captured = [...kept.values()].map(
    ({ topic, message: { key, value, headers, offset, timestamp } }) => ({
      topic,
      key: key?.toString('base64') ?? null,
      value: value?.toString('base64') ?? null,
      headers: Object.fromEntries(Object.entries(headers ?? {}).map(([name, text]) => [name, String(text)])),
      offset: Number(offset),
      timestamp: Number(timestamp),
    }),
  );
  const schemas: Record<string, unknown> = {};
  for (const { message } of kept.values())
    for (const part of [message.key, message.value]) {
      const id = part?.[0] === 0 ? part.readUInt32BE(1) : null;
      if (id !== null) schemas[id] ??= await (await fetch(`${registry}/schemas/ids/${id}`)).json();
    }
  await writeFile(
    process.env.CAPTURE_FORMATS ?? '',
    `${JSON.stringify({ schemas, records: captured }, null, 1)}\n`,
  );
}

const tablesOf = ({ tables: names }: Format): ProducerTable[] =>
  tables.filter(({ source }) => names.includes(source.table));

const prefixOf = ({ source }: ProducerTable): string => {
  const found = Object.entries(FORMATS).find(([, format]) => format.tables.includes(source.table));
  return found?.[0] ?? '';
};

// The tests read the topics too.
registerCompression();

describe('a producer that does not send the envelope in JSON', () => {
  const captured = Object.values(FORMATS).flatMap(tablesOf);
  const random = randomFrom(1);
  let stage: DebeziumStage;

  beforeAll(async () => {
    stage = await openStage(captured, { prefixOf, withSchemas: true });
    for (const table of captured) await insertRows(stage.producer, table, sampleRows(table.source, 0, ROWS));
    await Promise.all([stage.start('ingest'), stage.start('project')]);
  });

  afterAll(() => stage?.stop());

  it('brings the rows of a snapshot in each format', async () => {
    for (const [name, format] of Object.entries(FORMATS))
      await stage.addConnector(name, tablesOf(format), {
        ...format.settings(stage),
        'topic.prefix': name,
      });
    await stage.check();
  });

  it('streams inserts, updates, deletes and changed keys', async () => {
    for (const table of captured)
      await insertRows(stage.producer, table, sampleRows(table.source, ROWS, ROWS + 20));
    for (let done = 0; done < TRANSACTIONS; done++) {
      const client = await stage.producer.connect();
      try {
        await client.query('begin');
        for (const sql of randomStatements(random, captured)) await client.query(sql);
        await client.query('commit');
      } finally {
        client.release();
      }
    }
    await stage.check();
  });

  it('knows the heartbeats of each connector', async () => {
    const { rows } = await stage.mirror.query<{ name: string }>(
      'select distinct name from ingest.connector order by 1',
    );
    expect(rows.map(({ name }) => name)).toEqual(Object.keys(FORMATS).sort());
  });

  it('has met each format', async () => {
    const records = await readTopics(stage.kafka.address, captured.map(stage.topicOf));
    const ofFormat = (name: string) =>
      records.filter(({ topic, value }) => topic.startsWith(`${name}.`) && value !== null);
    for (const name of ['avro', 'both'])
      expect(ofFormat(name).filter(({ message }) => message.value?.[0] !== 0)).toEqual([]);
    const [event] = ofFormat('cloudevents').map(({ value }) => JSON.parse(value ?? ''));
    expect(event).toMatchObject({ specversion: '1.0', iodebeziumop: 'r' });
    const operations = ofFormat('flattened').map(({ value }) => JSON.parse(value ?? '').__op);
    expect(new Set(operations)).toEqual(new Set(['r', 'c', 'u', 'd']));
    if (process.env.CAPTURE_FORMATS) await captureRecords(records, stage.schemas?.address ?? '');
  });

  it('leaves the documents that a rebuild makes', () => stage.checkDocuments());
});
