import { boundedKey } from '../shared/bounded-key.ts';

const SEPARATOR = '\u001f';

/** @param isrc 12 characters in capitals */
export const isrcKey = (isrc: string): string => `isrc:${isrc}`;

/** The lookup key of a recording by artist and title as credited; null if one of them is blank. */
export function trackKey(artist: string, title: string): string | null {
  const [by, what] = [comparable(artist), comparable(title)];
  return by === '' || what === '' ? null : boundedKey('track', by + SEPARATOR + what);
}

/** ASCII and the accented letters of Western Europe, each one character and equal to its NFKC form. */
const WESTERN = /^[\x20-\x7eÀ-ÖØ-öø-ÿ]*$/;

/**
 * The form in which titles and credits are compared: letters and digits in lower case, accents included. A text without
 * any, such as "!!!", keeps everything but white space.
 */
export function comparable(text: string): string {
  // Fast path for most texts, without Unicode properties.
  if (WESTERN.test(text)) {
    const bare = text.toLowerCase().replace(/[^a-z0-9ß-öø-ÿ]+/g, '');
    if (bare !== '') return bare;
  }
  const folded = text.normalize('NFKC').toLowerCase();
  return /[\p{L}\p{N}]/u.test(folded)
    ? folded.replace(/[^\p{L}\p{M}\p{N}]+|\p{Variation_Selector}+/gu, '')
    : folded.replace(/[\s\p{Cf}\p{Cc}]+/gu, '');
}
