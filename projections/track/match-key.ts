import { comparable } from '../recording/addresses.ts';
import { withoutGuests } from './without-version.ts';

const ASCII = /^\p{ASCII}*$/u;
const SIGNS = /[^\p{L}\p{M}\p{N}]+/gu;
const VARIATIONS = /\p{Variation_Selector}+/gu;
/** A Latin letter that bears marks, taken apart. */
const ACCENTED = /\p{Script=Latin}\p{M}+/gu;

/**
 * What titles and artists are matched by: letters and digits of any script in lower case. A Latin letter with a
 * diacritic is left out rather than taken for the plain one, so that "Björk" and "Bjork" stay apart. Where nothing
 * would be left, as of "!!!" or "É", what is there counts as it is; empty only where there is nothing at all.
 */
export function matchKey(text: string): string {
  const folded = text.normalize('NFKC').toLowerCase();
  const plain = (ASCII.test(folded) ? folded : withoutAccented(folded)).replace(SIGNS, '');
  return plain === '' ? comparable(text) : plain;
}

const withoutAccented = (folded: string): string =>
  folded.replace(VARIATIONS, '').normalize('NFD').replace(ACCENTED, '').normalize('NFC');

/** What producers and players write where they do not know the artist, or there are too many to be named. */
const NOBODY: ReadonlySet<string> = new Set([
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

/** Signs that stand for a name; those of "!!!" are one. */
const PLACEHOLDER = /^(?:\?+|[-\u2010-\u2015\u2212]+)$/;

/** The keys of an artist as credited, and without those who are featured. */
export interface ArtistKeys {
  readonly full: string;
  readonly base: string;
}

/** Null where the name is blank or says that the artist is not known. */
export function artistKeys(name: string | null): ArtistKeys | null {
  const full = nameKey(name ?? '');
  if (name === null || full === null) return null;
  const base = withoutGuests(name);
  return { full, base: (base === name ? null : nameKey(base)) ?? full };
}

function nameKey(name: string): string | null {
  const key = matchKey(name);
  return NOBODY.has(key) || PLACEHOLDER.test(key) ? null : key;
}
