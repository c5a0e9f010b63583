import { expect, it } from 'vitest';
import { festival } from '../../../projections/contracts/seen/festival.ts';
import { type DecodedRecord, decodeRecord } from '../decode/envelope.ts';
import { ignoreKnownTombstone, lastDeleteOf } from './decode-messages.ts';

const TOPIC = `producers.${festival.table}`;

function decode(id: string, value: object | null): DecodedRecord {
  const record = {
    topic: TOPIC,
    key: Buffer.from(JSON.stringify({ festival_id: id })),
    value: value === null ? null : Buffer.from(JSON.stringify(value)),
    headers: {},
    offset: 1,
    timestamp: 9_000,
  };
  return { record, decoded: decodeRecord(record, { prefix: 'producers', epoch: () => 0 }) };
}

const deleteOf = (id: string): DecodedRecord =>
  decode(id, { op: 'd', before: { festival_id: id }, after: null, source: { lsn: 5, ts_ms: 1_000 } });
const tombstoneOf = (id: string): DecodedRecord => decode(id, null);
const times = (records: readonly DecodedRecord[]) =>
  records.map(({ decoded }) => (decoded.kind === 'tombstone' ? decoded.timestamp : decoded.kind));

it('ignores the tombstone of the delete that was applied last', () => {
  const last = lastDeleteOf([tombstoneOf('a'), deleteOf('f1')]);
  expect(last).toEqual({ table: festival.table, key: 'f1' });
  expect(times(ignoreKnownTombstone([tombstoneOf('f1'), tombstoneOf('f1')], last))).toEqual([null, 9_000]);
});

it('keeps every other tombstone', () => {
  const last = lastDeleteOf([deleteOf('f1')]);
  expect(times(ignoreKnownTombstone([tombstoneOf('f2')], last))).toEqual([9_000]);
  expect(times(ignoreKnownTombstone([deleteOf('f2'), tombstoneOf('f1')], last))).toEqual(['delete', 9_000]);
  expect(times(ignoreKnownTombstone([tombstoneOf('f1')], null))).toEqual([9_000]);
  expect(lastDeleteOf([deleteOf('f1'), tombstoneOf('f1')])).toBeNull();
  expect(lastDeleteOf([])).toBeNull();
});
