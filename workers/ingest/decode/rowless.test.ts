import { describe, expect, it } from 'vitest';
import { decodeRecord } from './envelope.ts';

const decode = (topic: string, value: object | null) =>
  decodeRecord(
    {
      topic,
      key: '{"id":"1"}',
      value: value === null ? null : JSON.stringify(value),
      headers: {},
      offset: 0,
      timestamp: 1,
    },
    { prefix: 'producers', epoch: () => 0 },
  );

const envelope = (row: object, op = 'c') => ({
  op,
  before: op === 'd' ? row : null,
  after: op === 'd' ? null : row,
  source: { ts_ms: 1, lsn: 1 },
});

const signal = { id: 'ad-hoc', type: 'execute-snapshot', data: '{"data-collections": ["seen.festival"]}' };
const opened = { id: '9-open', type: 'snapshot-window-open', data: null };
const notification = {
  id: '6d82a3ec-ba86-4b36-9168-7423b0dd5c1d',
  aggregate_type: 'Incremental Snapshot',
  type: 'TABLE_SCAN_COMPLETED',
  additional_data: { connector_name: 'main', scanned_collection: 'seen.festival' },
  timestamp: 1_695_817_046_353,
};
const history = {
  source: { server: 'producers' },
  position: { lsn: 7 },
  ts_ms: 1,
  ddl: '',
  tableChanges: [],
};
const schemaChange = {
  source: { ts_ms: 1 },
  ts_ms: 1,
  databaseName: 'd',
  ddl: 'ALTER …',
  tableChanges: [{}],
};
const transaction = { status: 'END', id: '571:53195832', event_count: 2, data_collections: [], ts_ms: 1 };

describe('records that a connector writes for itself are ignored, not dead letters', () => {
  it.each([
    ['a signal table', 'producers.public.debezium_signal', envelope(signal)],
    ['a signal table of any name', 'producers.ops.commands', envelope(signal)],
    [
      'a line for the log',
      'producers.ops.commands',
      envelope({ ...signal, type: 'log', data: '{"message":"a"}' }),
    ],
    ['its windows', 'producers.ops.commands', envelope(opened)],
    ['a signal that was deleted', 'producers.ops.commands', envelope(opened, 'd')],
    ['a tombstone of the signal table', 'producers.public.dbz_signals', null],
    ['a topic of signals', 'producers.signal', { type: 'execute-snapshot', data: {} }],
    ['notifications', 'producers.notifications', notification],
    ['notifications of any name', 'producers.ops.told', notification],
    ['notifications with a schema', 'producers.ops.told', { schema: {}, payload: notification }],
    ['the schema history', 'producers.schema-history', history],
    ['the schema history of any name', 'producers.ops.history', history],
    ['schema changes', 'producers', schemaChange],
    ['the bounds of transactions', 'producers.transaction', transaction],
    ['the bounds of transactions under any name', 'producers.ops.bounds', transaction],
    ['messages', 'producers.message', envelope({}, 'm')],
    ['a heartbeat table', 'producers.public.debezium_heartbeat', envelope({ id: 1, ts: 1 })],
  ])('%s', (_, topic, value) => expect(decode(topic, value)).toMatchObject({ kind: 'ignored' }));

  it.each([
    ['a table without a contract', 'producers.seen.signals', envelope({ id: 1, type: 'loud', data: 'x' })],
    ['of events', 'producers.ops.events', envelope({ id: 1, type: 'log', data: 'x' })],
    ['with more columns than a signal has', 'producers.seen.log', envelope({ ...signal, cluster_id: 'a' })],
    ['that is named like the connector', 'producers.seen.notifications', envelope({ id: 1 })],
    ['a tombstone', 'producers.seen.signals', null],
    ['another prefix', 'others.seen.festival', envelope({ id: 1 })],
  ])('but not rows: %s', (_, topic, value) =>
    expect(decode(topic, value)).toMatchObject({
      kind: 'rejected',
      violations: [{ field: 'topic', reason: 'unknown_table' }],
    }),
  );
});
