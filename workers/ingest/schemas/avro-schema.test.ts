import avro from 'avsc';
import { describe, expect, it } from 'vitest';
import { valueFieldTypes } from '../decode/field-types.ts';
import { avroSchema } from './avro-schema.ts';

/** Encodes with the library as it is, apart from its long integers. */
function framed(schema: unknown, value: unknown): Buffer {
  const long = avro.types.LongType.__with({
    fromBuffer: (bytes: Buffer) => bytes.readBigInt64LE(),
    toBuffer(number: bigint | number) {
      const bytes = Buffer.alloc(8);
      bytes.writeBigInt64LE(BigInt(number));
      return bytes;
    },
    fromJSON: BigInt,
    toJSON: Number,
    isValid: (number: unknown) => typeof number === 'bigint' || Number.isInteger(number),
    compare: () => 0,
  });
  const type = avro.Type.forSchema(schema as avro.Schema, { registry: { long } });
  return Buffer.concat([Buffer.from([0, 0, 0, 0, 7]), type.toBuffer(value)]);
}

const decodeAs = (schema: unknown, value: unknown): unknown =>
  avroSchema(JSON.stringify(schema)).decode(framed(schema, value));

const row = (...fields: object[]) => ({ type: 'record', name: 'Row', fields });

describe('a value in Avro is what the same value in JSON is', () => {
  it.each<[unknown, unknown, unknown]>([
    ['long', 12, 12],
    ['long', -(2n ** 63n), -(2n ** 63n)],
    ['long', 9_007_199_254_740_993n, 9_007_199_254_740_993n],
    ['bytes', Buffer.from('abc'), 'YWJj'],
    [{ type: 'fixed', name: 'Id', size: 3 }, Buffer.from('abc'), 'YWJj'],
    ['float', Math.fround(0.1), 0.1],
    ['float', Math.fround(16_777_217), 16_777_216],
    ['double', 0.1, 0.1],
    ['double', Number.NaN, 'NaN'],
    ['double', Number.NEGATIVE_INFINITY, '-Infinity'],
    [['null', 'string'], null, null],
    [['null', 'bytes'], Buffer.from('abc'), 'YWJj'],
    [{ type: 'enum', name: 'Tier', symbols: ['LOW', 'HIGH'] }, 'HIGH', 'HIGH'],
    [{ type: 'array', items: { type: 'array', items: ['null', 'long'] } }, [[1, null], []], [[1, null], []]],
    [{ type: 'map', values: 'string' }, { a: 'b' }, { a: 'b' }],
  ])('%j', (type, value, expected) => {
    expect({ ...(decodeAs(row({ name: 'a', type }), { a: value }) as object) }).toEqual({ a: expected });
  });
});

const micros = { type: 'long', 'connect.version': 1, 'connect.name': 'io.debezium.time.MicroTimestamp' };
const envelope = {
  type: 'record',
  name: 'Envelope',
  namespace: 'producers.seen.x',
  fields: [
    {
      name: 'before',
      type: [
        'null',
        row(
          { name: 'at', type: { ...micros, 'connect.default': 0 }, default: 0 },
          {
            name: 'price',
            type: [
              'null',
              {
                type: 'bytes',
                scale: 2,
                precision: 9,
                'connect.parameters': { scale: '2' },
                'connect.name': 'org.apache.kafka.connect.data.Decimal',
                logicalType: 'decimal',
              },
            ],
            default: null,
          },
          { name: 'day', type: { type: 'int', logicalType: 'date' } },
          { name: 'name', type: 'string', default: 1 },
        ),
      ],
      default: null,
    },
    { name: 'after', type: ['null', 'Row'], default: null },
  ],
};

it('a schema states units and scales, also of a type that it only names', () => {
  const types = valueFieldTypes(avroSchema(JSON.stringify(envelope)).connectSchema);
  expect(types).toEqual(
    new Map([
      ['at', { unit: 'us', declared: 'io.debezium.time.MicroTimestamp', connectType: 'int64' }],
      [
        'price',
        {
          decimal: { scale: 2 },
          declared: 'org.apache.kafka.connect.data.Decimal(2) or null',
          connectType: 'bytes',
        },
      ],
      ['day', { unit: 'days', declared: 'org.apache.kafka.connect.data.Date', connectType: 'int32' }],
      ['name', { declared: 'string', connectType: 'string' }],
    ]),
  );
});

it('rejects bytes that do not fit the schema', () => {
  const schema = avroSchema(JSON.stringify(row({ name: 'a', type: 'string' })));
  const good = framed(row({ name: 'a', type: 'string' }), { a: 'abc' });
  expect(() => schema.decode(good.subarray(0, -1))).toThrow();
  expect(() => schema.decode(Buffer.concat([good, Buffer.from([0])]))).toThrow();
});

it.each([
  { type: 'array', items: 'string' },
  { type: 'array', items: 'null' },
  { type: 'map', values: 'string' },
])('rejects more values than there are bytes: %j', (type) => {
  const schema = avroSchema(JSON.stringify(row({ name: 'a', type })));
  // Ten million million values in one block.
  const bytes = Buffer.from([0, 0, 0, 0, 7, 0x80, 0xc0, 0xca, 0xf3, 0x84, 0xa3, 0x02, 0]);
  expect(() => schema.decode(bytes)).toThrow('more values than bytes');
});

it('reads a schema of a type that contains itself in many columns', () => {
  const fields = Array.from({ length: 300 }, (_, at) => ({ name: `f${at}`, type: ['null', 'Row'] }));
  const { connectSchema } = avroSchema(JSON.stringify(row(...fields)));
  expect(valueFieldTypes(connectSchema)?.size).toBe(300);
});

it('uses the schemas that a schema names', () => {
  const inner = row({ name: 'a', type: 'long' });
  const outer = { type: 'record', name: 'Outer', fields: [{ name: 'row', type: 'Row' }] };
  const bytes = framed(
    { type: 'record', name: 'Outer', fields: [{ name: 'row', type: inner }] },
    { row: { a: 5 } },
  );
  const schema = avroSchema(JSON.stringify(outer), [JSON.stringify(inner)]);
  expect(JSON.stringify(schema.decode(bytes))).toBe('{"row":{"a":5}}');
});
