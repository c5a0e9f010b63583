import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ApiError } from '../errors.ts';
import { parseArtistKey } from './artist-key.ts';

it('tells cluster ids from slugs, and lowers both', () => {
  expect(parseArtistKey('AB'.repeat(32), 'key')).toEqual({ isCluster: true, value: 'ab'.repeat(32) });
  expect(parseArtistKey('AB'.repeat(31), 'key')).toEqual({ isCluster: false, value: 'ab'.repeat(31) });
  expect(parseArtistKey('Änne-東京', 'key')).toEqual({ isCluster: false, value: 'änne-東京' });
});

it('counts characters, not units', () => {
  expect(parseArtistKey('🎧'.repeat(200), 'key').value).toHaveLength(400);
  expect(() => parseArtistKey('🎧'.repeat(201), 'key')).toThrow(ApiError);
});

it.each(['\ud800', 'a\udfffb'])('refuses half a character', (key) => {
  expect(() => parseArtistKey(key, 'key')).toThrow(ApiError);
});

it('answers any text with a key that can be looked up, or with an error of its own', () => {
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme', maxLength: 300 }));
  fc.assert(
    fc.property(text, (key) => {
      try {
        const { value } = parseArtistKey(key, 'slug');
        expect(value).toBe(key.toLowerCase());
        expect(value).not.toContain('\0');
      } catch (error) {
        expect(error).toBeInstanceOf(ApiError);
        expect((error as ApiError).context.param).toBe('slug');
      }
    }),
  );
});
