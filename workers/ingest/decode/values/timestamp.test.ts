import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CountRule, TimeUnit } from '../../../../projections/contracts/columns.ts';
import { timestampDecoder } from './timestamp.ts';

const NOT_TS = { reason: 'not_ts' };
const NOT_STATED = { reason: 'unit_not_stated' };

/** The decoder of a column whose unit nobody stated. */
const decodeTimestamp = timestampDecoder(null, { counts: {} }, null);
const ofSchema = (unit: TimeUnit) => timestampDecoder({ unit }, { counts: {} }, null);
const ofContract = (counts: CountRule) => timestampDecoder(null, { counts }, null);

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
    [1_561_898_096_999_999, '2019-06-30T12:34:56Z'],
    [253_402_300_799_999_999n, '9999-12-31T23:59:59Z'],
    [-62_135_596_800_000_000n, '0001-01-01T00:00:00Z'],
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
    1.5,
    Number.NaN,
    true,
    {},
    [],
  ])('rejects %s', (value) => expect(decodeTimestamp(value)).toEqual(NOT_TS));

  it.each(['infinity', '-infinity', 9223372036825200000n, -9223372036832400000n])(
    'rejects %s, an infinite instant',
    (value) => expect(decodeTimestamp(value)).toEqual({ reason: 'infinite' }),
  );

  it.each([
    ['ms', 9223372036825200n, -9223372036832400n],
    ['us', 9223372036825200000n, -9223372036832400000n],
    ['us', 9223372036854775807n, -9223372036854775808n],
    ['ns', 9223372036854775807n, -9223372036854775808n],
    ['ns', -29_575_808_000, 22_375_808_000],
    ['ns', -29_575_808_000_000, 22_375_808_000_000],
  ] as const)('rejects infinite instants in %s, which may look like others: %s', (unit, ...values) => {
    for (const value of values) expect(ofSchema(unit)(value)).toEqual({ reason: 'infinite' });
  });

  it('guesses no unit: a count that could be milliseconds needs a statement', () => {
    const february = 2_678_400_000_000;
    expect(decodeTimestamp(february)).toEqual(NOT_STATED);
    expect(decodeTimestamp(253_402_300_799_000), '9999 in milliseconds').toEqual(NOT_STATED);
    expect(decodeTimestamp(0)).toEqual(NOT_STATED);
    expect(ofSchema('us')(february)).toBe('"1970-02-01T00:00:00Z"');
    expect(ofContract({ unit: 'us' })(february)).toBe('"1970-02-01T00:00:00Z"');
    expect(ofContract({ unit: 'ms' })(february)).toBe('"2054-11-16T00:00:00Z"');
  });

  it('reads a count in the unit of the schema, then of the column, then of time.precision.mode', () => {
    const count = 1_561_898_096_000_000;
    const read = (...[type, counts, mode]: [TimeUnit | null, CountRule, ...unknown[]]) =>
      timestampDecoder(type === null ? null : { unit: type }, { counts }, (mode ?? null) as never)(count);
    expect(read(null, {}, 'adaptive_time_microseconds')).toBe('"2019-06-30T12:34:56Z"');
    expect(read(null, {}, 'microseconds')).toBe('"2019-06-30T12:34:56Z"');
    expect(read(null, {}, 'nanoseconds')).toBe('"1970-01-19T01:51:38Z"');
    expect(read(null, {}, 'connect')).toEqual({ reason: 'implausible_ms' });
    expect(read(null, {}, 'isostring')).toEqual(NOT_STATED);
    expect(read(null, { unit: 'us' }, 'connect')).toBe('"2019-06-30T12:34:56Z"');
    expect(read('us', { unit: 'ms' }, 'connect')).toBe('"2019-06-30T12:34:56Z"');
  });

  it('names the unit in which a count is outside the calendar or the range of its column', () => {
    expect(decodeTimestamp(1_561_898_096_999_999_999n)).toEqual({ reason: 'implausible_us' });
    expect(ofSchema('us')(253_402_300_800_000_000n)).toEqual({ reason: 'implausible_us' });
    expect(ofSchema('days')(1_561_898_096_000)).toEqual({ reason: 'implausible_days' });
    const plays = ofContract({ unit: 'ms', from: '1920-01-01', to: '2100-12-31' });
    expect(plays(-1_577_923_200_000)).toBe('"1920-01-01T00:00:00Z"');
    expect(plays(-1_577_923_200_001)).toEqual({ reason: 'implausible_ms' });
    expect(plays(4_133_980_799_999)).toBe('"2100-12-31T23:59:59Z"');
    expect(plays(4_133_980_800_000)).toEqual({ reason: 'implausible_ms' });
    expect(plays('1900-01-01T00:00:00Z'), 'text has no unit').toBe('"1900-01-01T00:00:00Z"');
  });

  it('reads the same instant in any stated unit', () => {
    const seconds = fc.integer({ min: -62_135_596_800, max: 253_402_300_799 });
    fc.assert(
      fc.property(seconds, fc.integer({ min: 0, max: 999_999_999 }), (second, nanosecond) => {
        const expected = `"${new Date(second * 1000).toISOString().slice(0, 19)}Z"`;
        const nanoseconds = BigInt(second) * 1_000_000_000n + BigInt(nanosecond);
        expect(ofSchema('ms')(second * 1_000 + Math.floor(nanosecond / 1e6))).toBe(expected);
        expect(ofSchema('us')(BigInt(second) * 1_000_000n + BigInt(nanosecond) / 1_000n)).toBe(expected);
        expect(ofSchema('ns')(nanoseconds)).toBe(expected);
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
    expect(ofSchema(unit)(value)).toBe(`"${instant}"`),
  );

  it('accepts text with any unit in the schema', () => {
    expect(ofSchema('us')('2019-06-30T12:34:56Z')).toBe('"2019-06-30T12:34:56Z"');
    expect(ofSchema('us')(true)).toEqual(NOT_TS);
  });
});
