import { describe, expect, it } from 'vitest';
import { parseArrayText } from './csv-row.ts';

describe('the items of an array as PostgreSQL writes it', () => {
  it.each<[string, (string | null)[]]>([
    ['{}', []],
    ['{a}', ['a']],
    ['{1,-2,3.5}', ['1', '-2', '3.5']],
    ['{NULL,"NULL",null}', [null, 'NULL', null]],
    ['{"",a b}', ['', 'a b']],
    ['{"a,b","{c}","\\"d\\"","\\\\"}', ['a,b', '{c}', '"d"', '\\']],
    ['{ a , "b c" }', ['a', 'b c']],
    ['{"line\nbreak",ü☃}', ['line\nbreak', 'ü☃']],
    ['{\u3000,\u00a0a\u2003}', ['\u3000', '\u00a0a\u2003']],
  ])('%s', (text, items) => expect(parseArrayText(text)).toEqual(items));

  it.each([
    '',
    'a',
    '[1]',
    '{',
    '}',
    '{a',
    '{a,}',
    '{,a}',
    '{a}b',
    '{{a},{b}}',
    '{"a}',
    '{"a"b}',
    '[0:1]={a,b}',
  ])('are not in %j', (text) => expect(parseArrayText(text)).toBeNull());

  it('may be many and long', () => {
    const items = Array.from({ length: 1_000 }, (_, number) => `${number}"`.repeat(100));
    const text = `{${items.map((item) => `"${item.replaceAll('"', '\\"')}"`).join(',')}}`;
    expect(parseArrayText(text)).toEqual(items);
  });
});
