import { beforeEach, expect, it } from 'vitest';
import { artistPressMentions } from '../../../projections/contracts/archive/artist-press-mentions.ts';
import { registerSources } from '../../../projections/engine/registry.ts';
import { changeRecord, clearIngest, decodedRecord } from '../../../test/support/ingest/dead-letters.ts';
import { withDatabase } from '../../../test/support/services/database.ts';
import { ingestBatch } from './ingest-batch.ts';

const { pool } = withDatabase();
beforeEach(() => clearIngest(pool));

const [schema, table] = artistPressMentions.table.split('.');
const LAST = { snapshot: 'last', schema, table };

it.each<[string, object, number?]>([
  ['a position below zero', { lsn: 'BELOW' }],
  ['an object as the name of a schema', { ...LAST, schema: { toString: 1, valueOf: 1 } }],
  ['a record time beyond the calendar', LAST, 9e15],
])('a row whose origin has %s is applied, and stops no partition', async (_, origin, timestamp) => {
  const registry = await registerSources(pool);
  const change = changeRecord({ lsn: 5, op: 'c' });
  const event = JSON.parse(String(change.value));
  const value = JSON.stringify({ ...event, source: { ...event.source, ...origin } });
  const record = {
    ...change,
    value: value.replace('"BELOW"', '-9007199254740993'),
    timestamp: timestamp ?? change.timestamp,
    readFrom: { topic: change.topic, partition: 0 },
  };
  const result = await ingestBatch(pool, registry, {
    topicPartition: { group: 'g', topic: change.topic, partition: 0 },
    records: [decodedRecord(record, registry)],
    from: null,
    to: 6,
    readAtMs: Date.now(),
  });
  expect(result).toMatchObject({ applied: 1 });
});

it.each([9e15, 2 ** 63, -(2 ** 63)])(
  'a rejected row with the record time %d stops no partition',
  async (timestamp) => {
    const registry = await registerSources(pool);
    const change = changeRecord({ lsn: 5, op: 'c', row: { title: 5 } });
    const record = { ...change, timestamp, readFrom: { topic: change.topic, partition: 0 } };
    const result = await ingestBatch(pool, registry, {
      topicPartition: { group: 'g', topic: change.topic, partition: 0 },
      records: [decodedRecord(record, registry)],
      from: null,
      to: 6,
      readAtMs: Date.now(),
    });
    expect(result).toMatchObject({ applied: 0 });
  },
);
