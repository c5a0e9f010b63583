/** A text split into words; index and query use the same rule. */
export interface Words {
  /** In the order of the text, duplicates included. */
  readonly words: readonly string[];
  /** Other spellings, which are indexed but not required of a query. */
  readonly further: readonly string[];
}

const MAX_WORD_LENGTH = 64;

const APOSTROPHES = /['’‘‛ʼʻ`´′＇]+/g;
/** Accents, points and invisible marks. */
const MARKS = /[\p{Script=Inherited}\p{Cf}]+/gu;
const CONTROLS = /\p{Cc}+/gu;
/** Ligatures and accented letters that Unicode does not decompose. */
const PLAIN: Readonly<Record<string, string>> = {
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  ħ: 'h',
  ı: 'i',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
  ς: 'σ',
};
const WITHOUT_PLAIN_FORM = new RegExp(`[${Object.keys(PLAIN).join('')}]`, 'gu');

const LETTER = /[\p{L}\p{N}]/u;
const RUNS = /[\p{L}\p{N}\p{M}]+/gu;
const ACRONYM = /^[^\p{L}\p{N}]*\p{L}(?:\.\p{L})+\.?[^\p{L}\p{N}]*$/u;
/** Scripts without spaces between words: each character is a word. */
const IDEOGRAPHIC = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]/u;
const CHARACTERS = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]|[^\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]+/gu;

/** Removes accents and case. */
const fold = (text: string): string =>
  text
    .toWellFormed()
    .normalize('NFKD')
    .toLowerCase()
    .replace(MARKS, '')
    .replace(CONTROLS, ' ')
    .replace(WITHOUT_PLAIN_FORM, (letter) => PLAIN[letter] ?? letter);

/**
 * Splits a text into words of letters and digits, in lower case, without accents or punctuation. In a text without letters
 * and digits, such as "!!!", the symbols are the words.
 */
export function splitWords(text: string): Words {
  // Apostrophes first: some would decompose into a space and an accent.
  const folded = fold(text.normalize('NFD').replace(APOSTROPHES, ''));
  if (LETTER.test(folded)) return letterWords(folded);
  return { words: chunksOf(fold(text)).map(bounded), further: [] };
}

function letterWords(folded: string): Words {
  const words: string[] = [];
  const further: string[] = [];
  for (const chunk of chunksOf(folded)) {
    if (chunk === '&' || chunk === '+') {
      words.push('and');
      continue;
    }
    const runs = chunk.match(RUNS) ?? [];
    if (runs.length > 1 && ACRONYM.test(chunk)) {
      words.push(bounded(runs.join('')));
      further.push(...runs);
      continue;
    }
    words.push(
      ...runs.flatMap((run) => (IDEOGRAPHIC.test(run) ? (run.match(CHARACTERS) ?? []) : [bounded(run)])),
    );
    if (runs.length > 1) further.push(bounded(runs.join('')));
    further.push(...asLetters(chunk));
  }
  const known = new Set(words);
  return { words, further: [...new Set(further)].filter((word) => !known.has(word)) };
}

const chunksOf = (text: string): string[] => text.split(/\s+/u).filter((chunk) => chunk !== '');

/** Spellings with symbols read as letters ("P!nk", "Ke$ha"); empty if there are none. */
function asLetters(chunk: string): string[] {
  const spelt = chunk
    .replace(/(?<=[\p{L}\p{N}])!(?=[\p{L}\p{N}])/gu, 'i')
    .replace(/\$(?=\p{L})|(?<=\p{L})\$/gu, 's')
    .replace(/(?<=\p{L})@(?=\p{L})/gu, 'a');
  return spelt === chunk ? [] : (spelt.match(RUNS) ?? []).map(bounded);
}

/** Cuts long words, never within a surrogate pair. */
const bounded = (word: string): string =>
  word.length <= MAX_WORD_LENGTH ? word : word.slice(0, MAX_WORD_LENGTH).replace(/[\uD800-\uDBFF]$/, '');

/** Equal for texts of the same words, however separated: "AC/DC", "ac dc", "acdc". */
export const keyOf = (words: readonly string[]): string => words.join('');
