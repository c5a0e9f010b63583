import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ApiError } from '../../http/errors.ts';
import { parseArtistKey } from './artist-key.ts';

it('distinguishes cluster ids from slugs, and lower-cases slugs', () => {
  expect(parseArtistKey('ab'.repeat(32), 'key')).toEqual({ isCluster: true, value: 'ab'.repeat(32) });
  expect(parseArtistKey('AB'.repeat(20), 'key')).toEqual({ isCluster: false, value: 'ab'.repeat(20) });
  expect(parseArtistKey('Änne-東京', 'key')).toEqual({ isCluster: false, value: 'änne-東京' });
});

it('counts characters, not units', () => {
  expect(parseArtistKey('🎧'.repeat(200), 'key').value).toHaveLength(400);
  expect(() => parseArtistKey('🎧'.repeat(201), 'key')).toThrow(ApiError);
});

it.each(['\ud800', 'a\udfffb'])('rejects half a character', (key) => {
  expect(() => parseArtistKey(key, 'key')).toThrow(ApiError);
});

it('turns any text into a key or an ApiError', () => {
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
