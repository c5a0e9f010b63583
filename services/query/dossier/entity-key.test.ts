import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isName, parseEntityKey } from './entity-key.ts';

const anyText = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme', maxLength: 300 }));

describe('an entity key', () => {
  it.each([
    ['ab'.repeat(32), { isCluster: true, value: 'ab'.repeat(32) }],
    ['0'.repeat(64), { isCluster: true, value: '0'.repeat(64) }],
    ['a'.repeat(59), { isCluster: false, value: 'a'.repeat(59) }],
    ['A'.repeat(69), { isCluster: false, value: 'a'.repeat(69) }],
    [`${'a'.repeat(63)}g`, { isCluster: false, value: `${'a'.repeat(63)}g` }],
    ['Warp', { isCluster: false, value: 'warp' }],
    ['ÄNNE-東京', { isCluster: false, value: 'änne-東京' }],
    ['4ad', { isCluster: false, value: '4ad' }],
    ['12', { isCluster: false, value: '12' }],
    ['a b', { isCluster: false, value: 'a b' }],
    ['%', { isCluster: false, value: '%' }],
  ])('is parsed from %j', (text, key) => {
    expect(parseEntityKey(text)).toEqual(key);
  });

  it.each([
    'a'.repeat(63),
    'a'.repeat(65),
    'AB'.repeat(32),
    `${'a'.repeat(63)}A`,
    '',
    ' ',
    '\t',
    '\u00a0\u2003',
    'catalog:12',
    'a:b',
    ':',
    'a/b',
    '/',
    'a\0b',
    'a\nb',
    'a\u007fb',
    'a\u0085b',
  ])('is null for %j', (text) => {
    expect(parseEntityKey(text)).toBeNull();
  });

  it('has 1 to 200 characters, whatever their width', () => {
    for (const character of ['a', 'é', '東', '🎧']) {
      expect(parseEntityKey(character)?.value).toBe(character);
      expect(parseEntityKey(character.repeat(200))?.value).toBe(character.repeat(200));
      expect(parseEntityKey(character.repeat(201))).toBeNull();
    }
  });

  it('is the text in lower case or null, for any text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const key = parseEntityKey(text);
        if (key === null) return;
        expect(key.value).toBe(text.toLowerCase());
        expect(key.isCluster).toBe(/^[0-9a-f]{64}$/.test(key.value));
        expect(key.value).not.toMatch(/[:/\0\n]/);
      }),
    );
  });

  it('is the same in either case', () => {
    expect(parseEntityKey('WARP-Records')).toEqual(parseEntityKey('warp-records'));
  });
});

describe('a name', () => {
  it('may contain characters that a slug may not', () => {
    for (const text of ['a', 'a:b', 'a/b', ' a ', '🎧'.repeat(200)]) expect(isName(text), text).toBe(true);
  });

  it('is not empty, blank, too long or half a character', () => {
    for (const text of [
      '',
      '  ',
      'a'.repeat(201),
      '🎧'.repeat(201),
      'a'.repeat(10_000),
      '\ud800',
      'a\udfffb',
    ])
      expect(isName(text)).toBe(false);
  });
});
