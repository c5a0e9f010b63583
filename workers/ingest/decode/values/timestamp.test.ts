import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeTimestamp, timestampDecoder } from './timestamp.ts';

const NOT_TS = { reason: 'not_ts' };

describe('decodeTimestamp', () => {
  it.each([
    ['2019-06-30T12:34:56Z', '2019-06-30T12:34:56Z'],
    ['2019-06-30T12:34:56.999999Z', '2019-06-30T12:34:56Z'],
    ['2019-06-30T12:34:56+02:00', '2019-06-30T10:34:56Z'],
    ['2019-01-01T00:30:00.5+02:00', '2018-12-31T22:30:00Z'],
    ['2019-06-30T12:34:56-0330', '2019-06-30T16:04:56Z'],
    ['2019-06-30 12:34:56+00', '2019-06-30T12:34:56Z'],
    ['1891-03-15T00:09:21+00:09:21', '1891-03-15T00:00:00Z'],
    ['2019-06-30T12:34Z', '2019-06-30T12:34:00Z'],
    ['2019-06-30t12:34:56z', '2019-06-30T12:34:56Z'],
    [1_561_898_096_000, '2019-06-30T12:34:56Z'],
    [1_561_898_096_999_999, '2019-06-30T12:34:56Z'],
    [1_561_898_096_999_999_999n, '2019-06-30T12:34:56Z'],
    [0, '1970-01-01T00:00:00Z'],
    [7_289_654_399_999, '2200-12-31T23:59:59Z'],
    [7_289_654_399_999_999, '2200-12-31T23:59:59Z'],
    [7_289_654_399_999_999_999n, '2200-12-31T23:59:59Z'],
    [-1_500, '1969-12-31T23:59:58Z'],
  ])('accepts %s', (value, instant) => expect(decodeTimestamp(value)).toBe(`"${instant}"`));

  it.each([
    'soon',
    '',
    '2019-13-01T00:00:00Z',
    '2019-02-30T00:00:00Z',
    '2019-06-30',
    '2019-06-30T12:34:56',
    '2019-06-30T24:00:00Z',
    '2019-06-30T12:60:00Z',
    '2019-06-30T12:34:60Z',
    '2019-06-30T12:34:56.Z',
    '2019-06-30T12:34:56+19:00',
    '2019-06-30T12:34:56 Z',
    '2019-06-30T12:34:56+02:60',
    '2019-06-30T1:34:56Z',
    '2019-06-30T12:34:5Z',
    '0001-01-01T00:00:00+01:00',
    'infinity',
    '-infinity',
    1.5,
    Number.NaN,
    true,
    {},
    [],
  ])('rejects %s', (value) => expect(decodeTimestamp(value)).toEqual(NOT_TS));

  it.each([9223372036825200000n, -9223372036832400000n, 9223372036854775807n, -9223372036854775808n])(
    'rejects %s, an infinite instant',
    (value) => {
      expect(decodeTimestamp(value)).toEqual(NOT_TS);
      expect(timestampDecoder({ unit: 'us' })(value)).toEqual(NOT_TS);
      expect(timestampDecoder({ unit: 'ms' })(value)).toEqual(NOT_TS);
    },
  );

  it('reads the same instant in any unit', () => {
    // Before the twelfth day of 1970 a count of microseconds could as well be one of milliseconds.
    const seconds = fc.integer({ min: 7_289_655, max: 7_289_654_399 });
    fc.assert(
      fc.property(seconds, fc.integer({ min: 0, max: 999_999_999 }), (second, nanosecond) => {
        const expected = `"${new Date(second * 1000).toISOString().slice(0, 19)}Z"`;
        const nanoseconds = BigInt(second) * 1_000_000_000n + BigInt(nanosecond);
        expect(decodeTimestamp(Number(nanoseconds / 1_000_000n))).toBe(expected);
        expect(decodeTimestamp(Number(nanoseconds / 1_000n))).toBe(expected);
        expect(decodeTimestamp(nanoseconds)).toBe(expected);
      }),
    );
  });

  it.each([
    ['days', 18_077, '2019-06-30T00:00:00Z'],
    ['ms', 1_000, '1970-01-01T00:00:01Z'],
    ['us', 1_000_000, '1970-01-01T00:00:01Z'],
    ['ns', 1_000_000_000, '1970-01-01T00:00:01Z'],
    ['us', -62_135_596_800_000_000n, '0001-01-01T00:00:00Z'],
    ['us', 253_402_300_799_999_999n, '9999-12-31T23:59:59Z'],
    ['ns', -1n, '1969-12-31T23:59:59Z'],
  ] as const)('counts in %s where the schema says so', (unit, value, instant) =>
    expect(timestampDecoder({ unit })(value)).toBe(`"${instant}"`),
  );

  it('accepts text with any unit in the schema', () => {
    expect(timestampDecoder({ unit: 'us' })('2019-06-30T12:34:56Z')).toBe('"2019-06-30T12:34:56Z"');
    expect(timestampDecoder({ unit: 'us' })(true)).toEqual(NOT_TS);
  });
});
