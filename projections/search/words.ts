/** A text taken apart for the search, the same way where it is indexed and where it is asked for. */
export interface Words {
  /** In the order of the text; a word that comes twice is there twice. */
  readonly words: readonly string[];
  /** Other spellings of them, which the text is found by too, but which are not asked for. */
  readonly further: readonly string[];
}

const MAX_WORD_LENGTH = 64;

const APOSTROPHES = /['’‘‛ʼʻ`´′＇]+/g;
/** Accents, points and the like, and marks that nobody sees. */
const MARKS = /[\p{Script=Inherited}\p{Cf}]+/gu;
const CONTROLS = /\p{Cc}+/gu;
/** Letters that have an accent of which Unicode knows no plain form, and ligatures. */
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
/** Scripts that put no spaces between words: each character stands for itself. */
const IDEOGRAPHIC = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]/u;
const CHARACTERS = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]|[^\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]+/gu;

/** Without accents and case. */
const fold = (text: string): string =>
  text
    .toWellFormed()
    .normalize('NFKD')
    .toLowerCase()
    .replace(MARKS, '')
    .replace(CONTROLS, ' ')
    .replace(WITHOUT_PLAIN_FORM, (letter) => PLAIN[letter] ?? letter);

/**
 * Splits a text into words of letters and digits, in lower case, without accents or punctuation. A text without letters
 * and digits, as "!!!", has its symbols as words.
 */
export function splitWords(text: string): Words {
  // Some apostrophes would fall apart into a space and an accent, so that they go before the rest.
  const folded = fold(text.normalize('NFD').replace(APOSTROPHES, ''));
  if (LETTER.test(folded)) return lettersOf(folded);
  return { words: spaced(fold(text)).map(bounded), further: [] };
}

function lettersOf(folded: string): Words {
  const words: string[] = [];
  const further: string[] = [];
  for (const chunk of spaced(folded)) {
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

const spaced = (text: string): string[] => text.split(/\s+/u).filter((chunk) => chunk !== '');

/** Symbols that stand for letters, as in "P!nk" and "Ke$ha"; nothing where there are none. */
function asLetters(chunk: string): string[] {
  const spelt = chunk
    .replace(/(?<=[\p{L}\p{N}])!(?=[\p{L}\p{N}])/gu, 'i')
    .replace(/\$(?=\p{L})|(?<=\p{L})\$/gu, 's')
    .replace(/(?<=\p{L})@(?=\p{L})/gu, 'a');
  return spelt === chunk ? [] : (spelt.match(RUNS) ?? []).map(bounded);
}

/** Cut where nobody types any further, and not through a character. */
const bounded = (word: string): string =>
  word.length <= MAX_WORD_LENGTH ? word : word.slice(0, MAX_WORD_LENGTH).replace(/[\uD800-\uDBFF]$/, '');

/** The same for texts of the same words, however these are set apart: "AC/DC" is "ac dc" and "acdc". */
export const keyOf = (words: readonly string[]): string => words.join('');
