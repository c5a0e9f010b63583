import { comparable } from '../recording/lookup-keys.ts';
import { withoutGuests } from './without-version.ts';

const ASCII = /^\p{ASCII}*$/u;
const SIGNS = /[^\p{L}\p{M}\p{N}]+/gu;
const VARIATIONS = /\p{Variation_Selector}+/gu;
/** A decomposed Latin letter with diacritics. */
const ACCENTED = /\p{Script=Latin}\p{M}+/gu;

/**
 * The form in which titles and artists are matched: letters and digits of any script in lower case. A Latin letter with a
 * diacritic is dropped, not replaced, so "Björk" and "Bjork" differ. If nothing would be left, as for "!!!" or "É", the
 * text counts as it is; the result is empty only for a blank text.
 */
export function matchKey(text: string): string {
  const folded = text.normalize('NFKC').toLowerCase();
  const plain = (ASCII.test(folded) ? folded : withoutAccented(folded)).replace(SIGNS, '');
  return plain === '' ? comparable(text) : plain;
}

const withoutAccented = (folded: string): string =>
  folded.replace(VARIATIONS, '').normalize('NFD').replace(ACCENTED, '').normalize('NFC');

/** What producers and players write for unknown or various artists. */
const NO_ARTIST: ReadonlySet<string> = new Set([
  '',
  'artistunknown',
  'na',
  'noartist',
  'none',
  'null',
  'unknown',
  'unknownartist',
  'unknownartists',
  'va',
  'various',
  'variousartist',
  'variousartists',
]);

/** Symbols in place of a name; "!!!" is a name. */
const PLACEHOLDER = /^(?:\?+|[-\u2010-\u2015\u2212]+)$/;

/** The match keys of an artist as credited, and without guests. */
export interface ArtistKeys {
  readonly full: string;
  readonly base: string;
}

/** Null if the name is blank or stands for an unknown artist. */
export function artistKeys(name: string | null): ArtistKeys | null {
  const full = nameKey(name ?? '');
  if (name === null || full === null) return null;
  const base = withoutGuests(name);
  return { full, base: (base === name ? null : nameKey(base)) ?? full };
}

function nameKey(name: string): string | null {
  const key = matchKey(name);
  return NO_ARTIST.has(key) || PLACEHOLDER.test(key) ? null : key;
}
