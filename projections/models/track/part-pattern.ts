/** Characters of a part that a search uses; each costs an index probe. */
const MAX_CHARACTERS = 64;
/**
 * The first trigram of a part, as the index splits them: three letters or digits, or fewer at the start or end of a word.
 * Other characters than letters, digits, punctuation and space may or may not belong to a word, so they form no trigram.
 */
const SIGN = String.raw`(?!\p{Alphabetic})[\s\p{P}\p{S}]`;
const TRIGRAM = new RegExp(
  String.raw`[\p{Alphabetic}0-9]{3}|${SIGN}[\p{Alphabetic}0-9]|[\p{Alphabetic}0-9]{2}${SIGN}`,
  'u',
);

/** How to search for a part. */
interface PartPattern {
  /** The part, shortened if very long. */
  readonly text: string;
  /** Whether the trigram index can find it; otherwise the search scans titles. */
  readonly isIndexed: boolean;
}

/** @param part of a title, folded (`foldTitle`) */
export function partPattern(part: string): PartPattern {
  const at = part.search(TRIGRAM);
  // Text before the first trigram costs no index probe.
  const before = at < 0 ? part : part.slice(0, at);
  const after = at < 0 ? '' : part.slice(at, at + 2 * MAX_CHARACTERS);
  const text = [...before]
    .slice(-MAX_CHARACTERS)
    .concat([...after].slice(0, MAX_CHARACTERS))
    .join('');
  return { text, isIndexed: at >= 0 };
}
