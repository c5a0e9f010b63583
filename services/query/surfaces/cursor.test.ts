import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readCursor, writeCursor } from './cursor.ts';

const SECRET = Buffer.alloc(32, 7);
const SCOPE = { surface: 'seen.dj_champion', cluster: 'c1'.repeat(32) };
const POSITION = { orderKey: '89', key: `${SCOPE.cluster}\u001f${'d2'.repeat(32)}` };

it('decodes to its position without revealing it', () => {
  const text = fc
    .array(fc.constantFrom('a', '\u0001', '\u001f', 'é', '漢', '𝄞', '\uffff', '-', '='))
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, text, (orderKey, key) => {
      const cursor = writeCursor(SECRET, SCOPE, { orderKey, key });
      expect(cursor).toMatch(/^[\w-]+$/);
      expect(readCursor(SECRET, SCOPE, cursor)).toEqual({ orderKey, key });
    }),
  );
});

it('is valid only for its surface, cluster and secret', () => {
  const cursor = writeCursor(SECRET, SCOPE, POSITION);
  expect(readCursor(SECRET, { ...SCOPE, surface: 'seen.radio_co_play' }, cursor)).toBeNull();
  expect(readCursor(SECRET, { ...SCOPE, cluster: 'c2'.repeat(32) }, cursor)).toBeNull();
  expect(readCursor(Buffer.alloc(32, 8), SCOPE, cursor)).toBeNull();
});

it('is invalid after any change of a character or of its length', () => {
  // Three lengths, so that decoding ignores two, four or no bits of the last character.
  for (const key of ['a', 'ab', 'abc']) {
    const cursor = writeCursor(SECRET, SCOPE, { orderKey: '89', key });
    for (let at = 0; at < cursor.length; at++) {
      for (const character of ['A', 'B', 'C', '-', '_', '+', '/', '=', ' ', 'é']) {
        if (cursor[at] === character) continue;
        const forged = cursor.slice(0, at) + character + cursor.slice(at + 1);
        expect(readCursor(SECRET, SCOPE, forged), forged).toBeNull();
      }
      expect(readCursor(SECRET, SCOPE, cursor.slice(0, at))).toBeNull();
      expect(readCursor(SECRET, SCOPE, cursor.slice(at + 1))).toBeNull();
    }
    for (const more of ['A', '=', '==', ' ', '\n', cursor])
      expect(readCursor(SECRET, SCOPE, cursor + more), more).toBeNull();
  }
});
