import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { randomFrom } from '../faults/random.ts';
import type { ConnectorConfig } from './connector.ts';
import { insertRows, type ProducerTable, sampleRows } from './producer-table.ts';
import { randomStatements } from './random-changes.ts';
import { type DebeziumStage, openStage } from './stage.ts';
import { tables } from './tables.ts';

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

const tablesOf = ({ tables: names }: Format): ProducerTable[] =>
  tables.filter(({ source }) => names.includes(source.table));

const prefixOf = ({ source }: ProducerTable): string => {
  const found = Object.entries(FORMATS).find(([, format]) => format.tables.includes(source.table));
  return found?.[0] ?? '';
};

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

  it('leaves the documents that a rebuild makes', () => stage.checkDocuments());
});
