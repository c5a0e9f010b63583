import { describe, expect, it } from 'vitest';
import { anyNum, columnShape, nullable, num } from '../../../../projections/contracts/columns.ts';
import type { FieldType } from '../field-types.ts';
import { decodeBool, decodeInt, decodeNum, intDecoder, numDecoder } from './number.ts';

describe('decodeInt', () => {
  it.each([
    [0, '0'],
    [-0, '0'],
    [12, '12'],
    [-7, '-7'],
    [9007199254740991, '9007199254740991'],
    [9223372036854775807n, '9223372036854775807'],
    [-9223372036854775808n, '-9223372036854775808'],
    ['12', '12'],
    ['-0012', '-12'],
    ['12.000', '12'],
    ['9223372036854775807', '9223372036854775807'],
  ])('accepts %s', (value, text) => expect(decodeInt(value)).toBe(text));

  it.each([
    1.5,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    1e300,
    2 ** 53,
    2n ** 63n,
    '9223372036854775808',
    'twelve',
    '',
    ' 12',
    '1.5',
    '1e3',
    '0x10',
    '+1',
    true,
    [],
    {},
  ])('rejects %s', (value) => expect(decodeInt(value)).toEqual({ reason: 'not_int' }));
});

describe('decodeNum', () => {
  it.each([
    [0.5, '0.5'],
    [-0, '0'],
    [1e21, '1e+21'],
    [12, '12'],
    ['0.5000', '0.5'],
    ['24', '24'],
    ['-0.0', '0'],
    ['1E-7', '1e-7'],
    ['0.30000000000000000001', '0.3'],
    [9007199254740993n, '9007199254740992'],
  ])('accepts %s', (value, text) => expect(decodeNum(value)).toBe(text));

  it.each([
    'NaN',
    'NAN',
    '1,5',
    'about 3',
    '',
    '.5',
    '5.',
    ' 1',
    '0x10',
    '1e999',
    '--1',
    'JxA=',
    true,
    [],
    {},
    Number.NaN,
    2n ** 2000n,
  ])('rejects %s', (value) => expect(decodeNum(value)).toEqual({ reason: 'not_num' }));

  it.each(['Infinity', '-Infinity', 'POSITIVE_INFINITY', 'NEGATIVE_INFINITY'])(
    'rejects %s as infinite, also for an integer',
    (value) => {
      expect(decodeNum(value)).toEqual({ reason: 'infinite' });
      expect(decodeInt(value)).toEqual({ reason: 'infinite' });
    },
  );
});

describe('a number that need not be finite', () => {
  const decode = numDecoder(null, columnShape(anyNum()));

  it.each([
    ['NaN', '"NaN"'],
    ['NAN', '"NaN"'],
    ['Infinity', '"Infinity"'],
    ['POSITIVE_INFINITY', '"Infinity"'],
    ['-Infinity', '"-Infinity"'],
    ['NEGATIVE_INFINITY', '"-Infinity"'],
    ['1.50', '1.5'],
    [2, '2'],
  ])('is kept: %s', (value, text) => expect(decode(value)).toBe(text));

  it('is a number or one of three texts', () => {
    expect(decode('about 3')).toEqual({ reason: 'not_num' });
    expect(columnShape(nullable(anyNum()))).toMatchObject({ nonFinite: true, isNullable: true });
  });
});

const numOf = (type: FieldType | null) => numDecoder(type, columnShape(num()));

describe('decimals of a Connect schema', () => {
  const scaled = (scale: number): FieldType => ({ decimal: { scale } });

  it.each([
    ['JxA=', 4, '1'],
    ['DoQ=', 4, '0.3716'],
    ['AA==', 4, '0'],
    ['/w==', 2, '-0.01'],
    ['gA==', 0, '-128'],
    ['AIA=', 0, '128'],
    ['DoQ=', -2, '371600'],
    ['AIrHIwSJ6AAA', 18, '10'],
  ])('%s at scale %i', (value, scale, text) => expect(numOf(scaled(scale))(value)).toBe(text));

  it('accepts numbers unchanged', () => {
    expect(numOf(scaled(4))(0.25)).toBe('0.25');
  });

  it('reads decimal text as base64 if the schema declares it', () => {
    expect(numOf(scaled(0))('1234')).toBe(String(0xd76df8 - 2 ** 24));
    expect(numOf(null)('1234')).toBe('1234');
  });

  it.each(['', 'J', 'JxA', 'not base64!', '1.5', true, {}, null])('rejects %s', (value) =>
    expect(numOf(scaled(4))(value)).toEqual({ reason: 'not_num' }),
  );

  it('rejects values of a schema without a scale', () => {
    expect(numOf(scaled(Number.NaN))('JxA=')).toEqual({ reason: 'not_num' });
  });

  it('accepts scales that vary by value', () => {
    const decode = numOf({ decimal: { scale: 'each' } });
    expect(decode({ scale: 2, value: 'DoQ=' })).toBe('37.16');
    expect(decode({ scale: '2', value: 'DoQ=' })).toEqual({ reason: 'not_num' });
    expect(decode({})).toEqual({ reason: 'not_num' });
  });

  it('returns integers without loss, and rejects other numbers', () => {
    expect(intDecoder(scaled(0))(Buffer.from('7fffffffffffffff', 'hex').toString('base64'))).toBe(
      '9223372036854775807',
    );
    expect(intDecoder(scaled(2))('AMg=')).toBe('2');
    expect(intDecoder(scaled(2))('AMk=')).toEqual({ reason: 'not_int' });
  });
});

describe('decodeBool', () => {
  it('accepts only true and false', () => {
    expect(decodeBool(true)).toBe('true');
    expect(decodeBool(false)).toBe('false');
    for (const value of ['true', 'yes', '', 0, 1, [], null])
      expect(decodeBool(value)).toEqual({ reason: 'not_bool' });
  });
});
