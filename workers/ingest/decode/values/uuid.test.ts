import { describe, expect, it } from 'vitest';
import { decodeUuid } from './hex.ts';

const ID = '8475297d-fb78-4630-8d74-9b87b6bb7cc8';

describe('decodeUuid', () => {
  it('gives lower case', () => {
    expect(decodeUuid(ID)).toBe(`"${ID}"`);
    expect(decodeUuid(ID.toUpperCase())).toBe(`"${ID}"`);
  });

  it.each([
    '',
    ID.slice(1),
    `${ID}0`,
    ID.replaceAll('-', ''),
    `{${ID.slice(2)}}`,
    ID.replace('-', '0'),
    `g${ID.slice(1)}`,
    7,
    null,
  ])('rejects %s', (value) => expect(decodeUuid(value)).toEqual({ reason: 'not_uuid' }));
});
