import { describe, expect, it } from 'vitest';
import { festival } from '../../../projections/contracts/seen/festival.ts';
import { rowsOf } from '../../../test/support/rows/source-rows.ts';
import { type Decoded, decodeRecord, type IncomingRecord } from './envelope.ts';

const TIME = 1_788_260_008_180;
const [row] = rowsOf(festival, {}).rows as [Record<string, unknown>];
const key = JSON.stringify(Object.fromEntries(festival.key.map((name) => [name, row[name]])));
const origin = { ts_ms: TIME, lsn: 7, sequence: '["5","7"]', snapshot: 'false', name: 'main' };
/** `add.fields=op,lsn,source.ts_ms,source.sequence,source.snapshot,source.name` */
const metadata = {
  __op: 'u',
  __lsn: 7,
  __source_ts_ms: TIME,
  __source_sequence: '["5","7"]',
  __source_snapshot: 'false',
  __source_name: 'main',
};

function decode(value: object | null, headers: IncomingRecord['headers'] = {}): Decoded {
  const record = { topic: `producers.${festival.table}`, key, headers, offset: 3, timestamp: TIME };
  return decodeRecord(
    {
      ...record,
      value: value === null ? null : JSON.stringify(value),
      readFrom: { topic: 't', partition: 0 },
    },
    { prefix: 'producers', epoch: () => 0 },
  );
}

describe('a flattened row', () => {
  it.each(['c', 'u', 'r'])('with its metadata is the change of the envelope: %s', (op) => {
    const decoded = decode({ ...row, ...metadata, __op: op, __deleted: 'false' });
    expect(decoded).toMatchObject({ kind: 'upsert' });
    expect(decoded).toEqual(decode({ op, before: null, after: row, source: origin }));
  });

  it('that was rewritten for a delete is a delete', () => {
    const decoded = decode({ ...row, ...metadata, __op: 'd', __deleted: 'true' });
    expect(decoded).toMatchObject({ kind: 'delete' });
    expect(decoded).toEqual(decode({ op: 'd', before: row, after: null, source: origin }));
  });

  it('may have its metadata in headers', () => {
    const headers = {
      __op: 'u',
      __lsn: '7',
      __source_ts_ms: String(TIME),
      __source_sequence: '["5","7"]',
      __source_snapshot: '"false"',
      __source_name: 'main',
    };
    const change = decode({ op: 'u', before: null, after: row, source: origin });
    expect(decode(row, headers)).toEqual(change);
    const removal = decode({ op: 'd', before: null, after: null, source: origin });
    expect(removal).toMatchObject({ kind: 'delete' });
    expect(decode(null, { ...headers, __op: 'd' })).toEqual(removal);
  });

  it('names the other key of a change of its key', () => {
    const other = { [festival.key[0] as string]: 'other' };
    const headers = { '__debezium.newkey': JSON.stringify({ ...JSON.parse(key), ...other }) };
    expect(decode({ ...row, ...metadata, __op: 'd' }, headers)).toEqual(
      decode({ op: 'd', before: row, after: null, source: origin }, headers),
    );
  });

  it('without the operation, or without a time, is none', () => {
    const violation = (field: string) => ({
      kind: 'rejected',
      violations: [{ field, reason: 'not_an_envelope' }],
    });
    expect(decode({ ...row, __deleted: 'false' })).toMatchObject(violation('value'));
    expect(decode(row)).toMatchObject(violation('value'));
  });

  it('states the units of its own schema', () => {
    const column = Object.keys(festival.columns)[0] as string;
    const schema = {
      type: 'struct',
      fields: [
        { field: column, type: 'string' },
        { field: '__op', type: 'string' },
      ],
    };
    expect(decode({ schema, payload: { ...row, ...metadata } })).toMatchObject({ kind: 'upsert' });
  });

  it('says why it is unreadable, whatever its headers say', () => {
    const topic = `producers.${festival.table}`;
    const record = { topic, key, headers: { __op: 'u' }, offset: 3, timestamp: TIME };
    expect(
      decodeRecord(
        { ...record, value: Buffer.from([0, 0, 0, 0, 7, 1]) },
        { prefix: 'producers', epoch: () => 0, schemas: { find: () => 'unknown_schema' } },
      ),
    ).toMatchObject({ violations: [{ field: 'value', reason: 'unknown_schema' }] });
  });
});
