import { boundedAddress } from '../bounded-address.ts';

const SEPARATOR = '\u001f';

/** @param isrc its 12 characters in capitals */
export const isrcAddress = (isrc: string): string => `isrc:${isrc}`;

/** Under which a recording is looked up by artist and title, both as credited; null where one of them says nothing. */
export function trackAddress(artist: string, title: string): string | null {
  const [by, what] = [comparable(artist), comparable(title)];
  return by === '' || what === '' ? null : boundedAddress('track', by + SEPARATOR + what);
}

/** ASCII and the accented letters of Western Europe, each one character and equal to its NFKC form. */
const WESTERN = /^[\x20-\x7eÀ-ÖØ-öø-ÿ]*$/;

/**
 * What titles and credits are compared by: their letters and digits, accents included, in lower case. Where there are
 * none, as in "!!!", all that is there but white space.
 */
export function comparable(text: string): string {
  // The rule for most there is, without a look at what Unicode says of each character.
  if (WESTERN.test(text)) {
    const bare = text.toLowerCase().replace(/[^a-z0-9ß-öø-ÿ]+/g, '');
    if (bare !== '') return bare;
  }
  const folded = text.normalize('NFKC').toLowerCase();
  return /[\p{L}\p{N}]/u.test(folded)
    ? folded.replace(/[^\p{L}\p{M}\p{N}]+|\p{Variation_Selector}+/gu, '')
    : folded.replace(/[\s\p{Cf}\p{Cc}]+/gu, '');
}
