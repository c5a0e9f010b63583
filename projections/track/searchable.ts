/** Characters of a part by which titles are looked for; each costs a look into the index. */
const MOST_CHARACTERS = 64;
/**
 * Where a part has a trigram, as the index knows them: three letters or digits, or fewer with the beginning or end of
 * their word. What is neither a letter nor a digit, a sign nor space may be part of a word or not, and counts for none.
 */
const SIGN = String.raw`(?!\p{Alphabetic})[\s\p{P}\p{S}]`;
const TRIGRAM = new RegExp(
  String.raw`[\p{Alphabetic}0-9]{3}|${SIGN}[\p{Alphabetic}0-9]|[\p{Alphabetic}0-9]{2}${SIGN}`,
  'u',
);

/** How a part is looked for. */
interface Sought {
  /** What titles that have the part have too: all of it, but of a very long one. */
  readonly text: string;
  /** Whether the index can look for it; a search goes through the titles where it cannot. */
  readonly isIndexed: boolean;
}

/** @param part of a title, lowered */
export function searchable(part: string): Sought {
  const at = part.search(TRIGRAM);
  // What stands before the first trigram has none, and costs no look.
  const before = at < 0 ? part : part.slice(0, at);
  const after = at < 0 ? '' : part.slice(at, at + 2 * MOST_CHARACTERS);
  const text = [...before]
    .slice(-MOST_CHARACTERS)
    .concat([...after].slice(0, MOST_CHARACTERS))
    .join('');
  return { text, isIndexed: at >= 0 };
}
