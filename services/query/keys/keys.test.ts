import fc from 'fast-check';
import { expect, it } from 'vitest';
import { digestOf, parseKey } from './keys.ts';

const ID = 'aZ09bY18cX';
const KEY = `ln_live_${ID}0123456789abcdefghijklmnopqrstuv2QQtEA`;

it('reads environment and id of a key with a valid checksum', () => {
  expect(parseKey(KEY)).toEqual({ environment: 'live', id: ID });
});

it('rejects a key with any one character changed', () => {
  fc.assert(
    fc.property(fc.nat(KEY.length - 1), fc.constantFrom(...'0Zaz_-é '), (at, character) => {
      fc.pre(KEY[at] !== character);
      expect(parseKey(KEY.slice(0, at) + character + KEY.slice(at + 1))).toBeNull();
    }),
  );
});

it.each([
  ['nothing', ''],
  ['a key cut short', KEY.slice(0, -1)],
  ['a key with more behind it', `${KEY}0`],
  ['a key with a line end', `${KEY}\n`],
  ['a key with space around it', ` ${KEY} `],
  ['another prefix', KEY.replace('ln_', 'xx_')],
  ['another environment', KEY.replace('_live_', '_prod_')],
  ['the key of the other environment', KEY.replace('_live_', '_test_')],
])('rejects %s', (_, text) => {
  expect(parseKey(text)).toBeNull();
});

it('digests with SHA-256', () => {
  expect(digestOf('abc').toString('hex')).toBe(
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  );
});
