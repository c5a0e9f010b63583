import { describe, expect, it } from 'vitest';
import { liveDemand } from '../../../projections/contracts/seen/live-demand.ts';
import { decodeRecord } from './envelope.ts';

const TABLE = liveDemand.table;
/** JSON that cannot be converted to text or to a number. */
const NO_SCALAR = { toString: 1, valueOf: 1 };
const DEEP = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
const PLACE = { ts_ms: 1_700_000_000_000, lsn: 5 };

function decode(value: unknown, name = TABLE) {
  const topic = `producers.${name}`;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const readFrom = { topic, partition: 0 };
  return decodeRecord(
    { topic, key: null, value: Buffer.from(text), headers: {}, offset: 1, timestamp: PLACE.ts_ms, readFrom },
    { prefix: 'producers', epoch: () => 0 },
  );
}

const created = (source: object, after: unknown = {}) => ({
  op: 'c',
  after,
  source: { ...PLACE, ...source },
});
const document = (text: string) => created({ connector: 'mongodb' }, text);
const decimal = {
  field: 'id',
  type: 'bytes',
  name: 'org.apache.kafka.connect.data.Decimal',
  parameters: { scale: NO_SCALAR },
};
const event = (data: unknown) => ({ specversion: '1.0', source: 'x', data });

describe('a record that no producer should send is rejected, and stops no partition', () => {
  it.each<[string, unknown]>([
    ['an object as log position', created({ lsn: NO_SCALAR })],
    ['a deep list as log position', JSON.stringify(created({ lsn: 0 })).replace('"lsn":0', `"lsn":${DEEP}`)],
    ['a number in another notation as log position', '{"op":"c","after":{},"source":{"ts_ms":1,"lsn":1e3}}'],
    ['a deep document', document(`{"_id":1,"a":${DEEP}}`)],
    ['an object as date', document(JSON.stringify({ _id: 1, a: { $date: { $numberLong: NO_SCALAR } } }))],
    ['an object as timestamp', document(JSON.stringify({ _id: 1, a: { $timestamp: { t: NO_SCALAR } } }))],
    [
      'an object as scale in a CloudEvent',
      event({ schema: { fields: [{ field: 'after', fields: [decimal] }] }, payload: { op: 'c', after: {} } }),
    ],
    [
      'a list of lists without end as type',
      JSON.stringify(
        event({ schema: { fields: [{ field: 'a', type: 'array', items: 0 }] }, payload: { op: 'c' } }),
      ).replace('"items":0', `"items":${'{"type":"array","items":'.repeat(20_000)}0${'}'.repeat(20_000)}`),
    ],
  ])('%s', (_, value) => {
    expect(decode(value)).toMatchObject({ kind: 'rejected' });
  });

  const notification = (connector: string, rows: unknown) => ({
    aggregate_type: 'Initial Snapshot',
    type: 'TABLE_SCAN_COMPLETED',
    additional_data: {
      ...{ connector_name: connector, scanned_collection: TABLE },
      ...{ status: 'SUCCEEDED', total_rows_scanned: rows },
    },
  });

  it.each<[string, string, unknown]>([
    ['an object as the number of rows in a notification', 'producers', NO_SCALAR],
    ["a notification of another producer's snapshot", 'others', 0],
  ])('%s', (_, connector, rows) => {
    expect(decode(notification('producers', 0), 'notifications')).toHaveProperty('notice');
    expect(decode(notification(connector, rows), 'notifications')).not.toHaveProperty('notice');
  });
});
