import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dateDecoder, daysOf, dayText, decodeDate, decodePartialDate } from './date.ts';

describe('the calendar', () => {
  it('agrees with Date from the year 1 to the year 9999', () => {
    const day = fc.date({
      min: new Date('0001-01-01T00:00:00Z'),
      max: new Date('9999-12-31T00:00:00Z'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(day, (date) => {
        const days = Math.floor(date.getTime() / 86_400_000);
        const text = date.toISOString().slice(0, 10);
        expect(dayText(days)).toBe(text);
        expect(daysOf(text)).toBe(days);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('decodeDate', () => {
  it.each([
    ['2019-06-30', '2019-06-30'],
    ['2020-02-29', '2020-02-29'],
    ['2000-02-29', '2000-02-29'],
    ['0001-01-01', '0001-01-01'],
    ['2019-06-30Z', '2019-06-30'],
    [0, '1970-01-01'],
    [-1, '1969-12-31'],
    [18_077, '2019-06-30'],
    [2_932_896, '9999-12-31'],
  ])('accepts %s', (value, day) => expect(decodeDate(value)).toBe(`"${day}"`));

  it.each([
    '2019-02-30',
    '2019-02-29',
    '1900-02-29',
    '2019-13-01',
    '2019-00-10',
    '2019-01-00',
    '0000-01-01',
    '30/06/2019',
    '2019-6-30',
    '2019-06-30T00:00:00Z',
    'yesterday',
    '',
    '2019-06-3x',
    '2019/06/30',
    1.5,
    Number.NaN,
    true,
    [],
    {},
    18_077n,
  ])('rejects %s', (value) => expect(decodeDate(value)).toEqual({ reason: 'not_date' }));

  it.each(['infinity', '-infinity', 2_147_483_647, -2_147_483_648, 106_751_991_167])(
    'rejects %s, an infinite day',
    (value) => expect(decodeDate(value)).toEqual({ reason: 'infinite' }),
  );

  it.each([2_932_897, -719_163, 1_561_852_800_000])('names the unit of %i, an impossible day', (days) =>
    expect(decodeDate(days)).toEqual({ reason: 'implausible_days' }),
  );

  it('reads no integer if the schema has another unit than days', () => {
    expect(dateDecoder({ unit: 'days' })(18_077)).toBe('"2019-06-30"');
    expect(dateDecoder({ unit: 'ms' })(18_077)).toEqual({ reason: 'not_date' });
    expect(dateDecoder({ unit: 'ms' })('2019-06-30')).toBe('"2019-06-30"');
  });
});

describe('decodePartialDate', () => {
  it.each(['2019', '2019-05', '2019-05-31'])('accepts %s', (value) =>
    expect(decodePartialDate(value)).toBe(`"${value}"`),
  );

  it.each([
    '2019/05',
    'May 2019',
    '2019-13',
    '2019-00',
    '2019-02-30',
    '201',
    '20195',
    '',
    '2019-',
    '0000',
    2019,
    null,
  ])('rejects %s', (value) => expect(decodePartialDate(value)).toEqual({ reason: 'not_partial_date' }));
});
