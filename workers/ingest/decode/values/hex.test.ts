import { describe, expect, it } from 'vitest';
import { decodeHex } from './hex.ts';

const ID = '4c7cd4e1f0d62e29d5729cffc502fcc736fdff5d2399aa8f59241645e7fcdb4a';
const BASE64 = Buffer.from(ID, 'hex').toString('base64');

describe('decodeHex', () => {
  it.each([
    ['lower case', ID],
    ['upper case', ID.toUpperCase()],
    ['mixed case', ID.replaceAll('d', 'D')],
    ['bytea text', `\\x${ID}`],
    ['bytea text in upper case', `\\x${ID.toUpperCase()}`],
    ['base64', BASE64],
    ['base64 for addresses', BASE64.replaceAll('+', '-').replaceAll('/', '_')],
  ])('accepts %s', (_, value) => expect(decodeHex(value)).toBe(`"${ID}"`));

  it.each([
    ['nothing', ''],
    ['63 digits', ID.slice(1)],
    ['62 digits after \\x', `\\x${ID.slice(2)}`],
    ['65 digits', `${ID}0`],
    ['another prefix', `0x${ID}`],
    ['a letter that is no digit', `g${ID.slice(1)}`],
    ['a character that ends in the byte of a digit', `\u0130${ID.slice(1)}`],
    ['a character whose high byte looks like a mark', `\u0461${ID.slice(1)}`],
    ['base64 of 31 bytes', Buffer.alloc(31, 1).toString('base64')],
    ['base64 of 33 bytes', Buffer.alloc(33, 1).toString('base64')],
    ['base64 with a letter that is none', `!${BASE64.slice(1)}`],
    ['base64 with padding inside', `${BASE64.slice(0, 20)}=${BASE64.slice(21)}`],
    ['44 letters', `${BASE64.slice(0, -1)}A`],
    ['a number', 12],
    ['a list', []],
    ['null', null],
  ])('rejects %s', (_, value) => expect(decodeHex(value)).toEqual({ reason: 'not_hex32' }));
});
