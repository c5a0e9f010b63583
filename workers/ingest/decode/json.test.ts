import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonText, parseJson, parseJsonAsWritten } from './json.ts';

describe('parseJson', () => {
  it.each([
    ['9007199254740991', 9007199254740991],
    ['-9007199254740991', -9007199254740991],
    ['9007199254740992', 9007199254740992n],
    ['-9007199254740993', -9007199254740993n],
    ['[1,18446744073709551615]', [1, 18446744073709551615n]],
    ['{"lsn": 9223372036854775807 }', { lsn: 9223372036854775807n }],
    ['{"a":12345678901234567.5}', { a: Number('12345678901234567.5') }],
    ['{"a":0.12345678901234567}', { a: Number('0.12345678901234567') }],
    ['{"a":"12345678901234567890"}', { a: '12345678901234567890' }],
    ['{"a":", 12345678901234567890"}', { a: ', 12345678901234567890' }],
    ['{"t":1702116351000000}', { t: 1702116351000000 }],
  ])('%s', (text, value) => expect(parseJson(text)).toEqual(value));

  it('lets the clock readings of every message be rounded', () => {
    expect(parseJson('{"ts_ns":1788222531437123456,"ts_us":9788222531437123}')).toEqual({
      ts_ns: Number('1788222531437123456'),
      ts_us: Number('9788222531437123'),
    });
    expect(parseJson('{"ts_ns":1788222531437123456,"lsn":9007199254740993}')).toMatchObject({
      lsn: 9007199254740993n,
    });
  });

  it('keeps every integer at any position', () => {
    const value = fc.array(
      fc.oneof(
        fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }),
        fc.integer(),
        fc.string(),
        fc.double({ noNaN: true, min: -1e15, max: 1e15 }),
      ),
    );
    fc.assert(
      fc.property(value, (values) => {
        const expected = values.map((member) =>
          typeof member === 'bigint' && Number.isSafeInteger(Number(member)) ? Number(member) : member,
        );
        expect(parseJson(jsonText(values) ?? '')).toEqual(
          expected.map((member) => (member === 0 ? 0 : member)),
        );
      }),
    );
  });

  it('rejects text that is not JSON', () => {
    expect(() => parseJson('{"a":12345678901234567')).toThrow(SyntaxError);
    expect(() => parseJson('')).toThrow(SyntaxError);
  });
});

describe('parseJsonAsWritten', () => {
  it.each([
    '{"price":28.0}',
    '[1.10,2e3,-1E-7,0.12345678901234567890]',
    '[12345678901234567890]',
    '{"plain":1.5,"text":"1.0,"}',
  ])('writes %s unchanged', (text) => expect(jsonText(parseJsonAsWritten(text))).toBe(text));
});
