import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  columnShape,
  int,
  intOneOf,
  json,
  list,
  nullable,
  oneOf,
  text,
  uuid,
} from '../../../projections/contracts/columns.ts';
import { columnDecoder } from './column-decoder.ts';
import { UNAVAILABLE } from './reason.ts';

const decoder = (column: Parameters<typeof columnShape>[0]) => columnDecoder(columnShape(column), null, null);

describe('closed lists', () => {
  it('accept their values', () => {
    const decode = decoder(oneOf('breakout', 'rising'));
    expect(decode('rising')).toBe('"rising"');
    expect(decode('superstar')).toEqual({ reason: 'not_in_list' });
    expect(decode(12)).toEqual({ reason: 'not_text' });
  });

  it('accept integers too', () => {
    const decode = decoder(nullable(intOneOf(1, 2)));
    expect(decode(2)).toBe('2');
    expect(decode('2')).toBe('2');
    expect(decode(9)).toEqual({ reason: 'not_in_list' });
    expect(decode('two')).toEqual({ reason: 'not_int' });
  });
});

describe('lists', () => {
  const texts = decoder(list(text()));
  const integers = decoder(list(int()));

  it('are written compactly', () => {
    expect(texts([])).toBe('[]');
    expect(texts(['a', 'b "c"'])).toBe('["a","b \\"c\\""]');
    expect(integers([1, '2', 3n])).toBe('[1,2,3]');
  });

  it.each(['not a list', '["unfinished"', '"text"', {}, 12])('are arrays, not %s', (value) =>
    expect(texts(value)).toEqual({ reason: 'not_array' }),
  );

  it('may be the text of a JSON array, as databases without arrays have them', () => {
    expect(texts('["text of a list"]')).toBe('["text of a list"]');
    expect(integers('[1, "2"]')).toBe('[1,2]');
  });

  it('have only valid items', () => {
    for (const items of [[null, null], [{ a: 1 }], ['x', 12], ['x'.repeat(20_001)]]) {
      expect(texts(items)).toEqual({ reason: 'bad_item' });
    }
    expect(integers([1, 1.5])).toEqual({ reason: 'bad_item' });
  });

  it('end at 1,000 items', () => {
    expect(texts(new Array(1_000).fill('x'))).toMatch(/^\["x",/);
    expect(texts(new Array(1_001).fill('x'))).toEqual({ reason: 'too_many_items' });
    expect(texts(new Array(1_001).fill(null))).toEqual({ reason: 'too_many_items' });
  });

  it('with the placeholder are unchanged', () => {
    expect(texts(['__debezium_unavailable_value'])).toBe(UNAVAILABLE);
    expect(integers(['__debezium_unavailable_value'])).toBe(UNAVAILABLE);
    expect(integers([...'__debezium_unavailable_value'].map((letter) => letter.charCodeAt(0)))).toBe(
      UNAVAILABLE,
    );
    const digest = createHash('md5').update('__debezium_unavailable_value').digest();
    digest.writeUInt8((digest.readUInt8(6) & 0x0f) | 0x30, 6);
    digest.writeUInt8((digest.readUInt8(8) & 0x3f) | 0x80, 8);
    const id = digest.toString('hex').replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5');
    expect(decoder(list(uuid()))([id])).toBe(UNAVAILABLE);
    expect(decoder(list(uuid()))([id, id])).toBe(`["${id}","${id}"]`);
  });
});

describe('JSON columns', () => {
  it('that are not nullable reject the text null', () => {
    expect(decoder(json())('null')).toEqual({ reason: 'null_not_allowed' });
    expect(decoder(nullable(json()))('null')).toBe('null');
  });
});
