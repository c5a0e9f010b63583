import { describe, expect, it } from 'vitest';
import type { Source } from '../../../projections/contracts/contract.ts';
import { djChampion } from '../../../projections/contracts/seen/dj-champion.ts';
import { radioPlayV1 } from '../../../projections/contracts/seen/radio-play-v1.ts';
import { type Decoded, decodeRecord, type IncomingRecord } from './envelope.ts';
import { documentKey, documentRow } from './mongodb-document.ts';
import { decoderOf } from './row-decoder.ts';

const rowOf = (text: string, source: Source = radioPlayV1) => documentRow(decoderOf(source), text);
const HEX = 'a1'.repeat(32);

describe('documentRow', () => {
  it.each([
    ['{"$oid": "5f0000000000000000000001"}', '5f0000000000000000000001'],
    ['{"$numberLong": "12"}', 12],
    ['{"$numberLong": "9007199254740993"}', 9007199254740993n],
    ['{"$numberInt": "-7"}', -7],
    ['{"$numberDecimal": "1.50"}', '1.50'],
    ['{"$numberDouble": "NaN"}', 'NaN'],
    ['{"$symbol": "s"}', 's'],
    ['{"$date": 1518297180250}', '2018-02-10T21:13:00.250Z'],
    ['{"$date": {"$numberLong": "-1"}}', '1969-12-31T23:59:59.999Z'],
    ['{"$date": "2018-02-10T21:13:00Z"}', '2018-02-10T21:13:00Z'],
    ['{"$timestamp": {"t": 7, "i": 1}}', '1970-01-01T00:00:07.000Z'],
    ['{"$binary": "oaE=", "$type": "00"}', 'oaE='],
    ['{"$binary": {"base64": "oaE=", "subType": "00"}}', 'oaE='],
    ['{"$binary": "eg4vDmwtSx6cTg2OP2taEQ==", "$type": "04"}', '7a0e2f0e-6c2d-4b1e-9c4e-0d8e3f6b5a11'],
    ['{"$uuid": "7a0e2f0e-6c2d-4b1e-9c4e-0d8e3f6b5a11"}', '7a0e2f0e-6c2d-4b1e-9c4e-0d8e3f6b5a11'],
    ['[{"$numberLong": "1"}, {"a": {"$oid": "b"}}]', [1, { a: 'b' }]],
    ['{"$date": {"$numberLong": "9223372036854775807"}}', { $date: 9223372036854775807n }],
    ['{"$regex": "a", "$options": "i"}', { $regex: 'a', $options: 'i' }],
    ['{"$numberLong": "x"}', { $numberLong: 'x' }],
    ['3.0', 3],
    ['null', null],
  ])('has %s as a row has it', (written, value) =>
    expect(rowOf(`{"_id": "p1", "value": ${written}}`)).toEqual({ play_id: 'p1', value }),
  );

  it('takes the key from the id, which may repeat it', () => {
    expect(rowOf('{"_id": {"$oid": "5f"}, "play_id": "5f"}')).toEqual({ play_id: '5f' });
    expect(rowOf(`{"_id": {"cluster_id": "${HEX}", "dj_cluster_id": "${HEX}"}}`, djChampion)).toEqual({
      cluster_id: HEX,
      dj_cluster_id: HEX,
    });
    expect(rowOf('{"_id": {"$oid": "5f"}, "play_id": "p1"}')).toBe('not_the_id');
    expect(rowOf(`{"_id": 7, "cluster_id": "${HEX}"}`, djChampion)).toEqual({ cluster_id: HEX });
  });

  it.each([
    ['{"a": NaN}', 'not_json'],
    ['', 'not_json'],
    ['[1]', 'not_a_row'],
    ['7', 'not_a_row'],
  ])('is none of %s', (text, reason) => expect(rowOf(text)).toBe(reason));
});

describe('documentKey', () => {
  it.each([
    [{ id: '"p1"' }, { play_id: 'p1' }],
    [{ id: '{"$oid": "5f"}' }, { play_id: '5f' }],
    [{ id: '7' }, { play_id: 7 }],
    [{ id: 'p1' }, null],
    [{ id: 7 }, null],
    [{ id: '"p1"', more: 1 }, null],
    [{ play_id: 'p1' }, null],
  ])('of %j is %j', (payload, key) => expect(documentKey(radioPlayV1, payload)).toEqual(key));

  it('leaves the key of a table whose key is id', () =>
    expect(documentKey({ ...radioPlayV1, key: ['id'] }, { id: '7' })).toBeNull());
});

describe('an envelope of MongoDB', () => {
  const decode = (envelope: object | null, source: object = {}): Decoded => {
    const origin = { connector: 'mongodb', name: 'producers', ts_ms: 1_788_260_020_007, ord: 1, ...source };
    const record: IncomingRecord = {
      topic: 'producers.seen.radio_play_v1',
      key: JSON.stringify({ id: '"p1"' }),
      value: envelope === null ? null : JSON.stringify({ ...envelope, source: origin }),
      headers: {},
      offset: 7,
      timestamp: 1_788_260_020_100,
    };
    return decodeRecord(record, { prefix: 'producers', epoch: () => 0 });
  };

  it('without its document names the setting that is missing', () =>
    expect(decode({ op: 'u', after: null })).toMatchObject({
      kind: 'rejected',
      key: 'p1',
      violations: [{ field: 'after', reason: 'no_document' }],
    }));

  it('names its row in deletes and tombstones by the key alone', () => {
    expect(decode({ op: 'd', before: null })).toMatchObject({ kind: 'delete', key: 'p1', form: 'oplog' });
    expect(decode(null)).toMatchObject({ kind: 'tombstone', key: 'p1' });
  });

  it('of another connector is no row: its text is none, and an unknown one is refused by name', () => {
    expect(decode({ op: 'u', after: '{"_id": "p1"}' }, { connector: 'postgresql', lsn: 1 })).toMatchObject({
      violations: [{ field: 'after', reason: 'not_a_row' }],
    });
    for (const op of ['d', 't'])
      expect(decode({ op, before: null }, { connector: 'sqlserver' })).toMatchObject({
        violations: [{ field: 'source', reason: 'unsupported_connector' }],
      });
  });
});
