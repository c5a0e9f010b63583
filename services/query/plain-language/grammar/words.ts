import { foldName } from '../fold.ts';

/** A word, a quotation or a pause of the text. */
interface Word {
  readonly kind: 'word' | 'quoted' | 'pause';
  /** The original text; a quotation without its marks. */
  readonly text: string;
  readonly fold: string;
  readonly start: number;
  readonly end: number;
}

/** The inch sign does not open a quotation. Dashes and slashes separate words. */
const WORD =
  /(?<inches>(?<![\p{L}\p{N}])(?:7|10|12)(?:"|''|″|”)s?)|"(?<quoted>[^"]+)"|“(?<curly>[^”]+)”|(?<pause>[,;:()?\n]+|\.(?=\s|$))|(?<word>[^\s,;:()?"“”/\-–—]+)/gu;

function wordsOf(text: string): Word[] {
  return [...text.matchAll(WORD)].map((match): Word => {
    const { quoted, curly, pause, word } = match.groups ?? {};
    const place = { start: match.index, end: match.index + match[0].length };
    const inQuotes = quoted ?? curly;
    if (inQuotes !== undefined)
      return { kind: 'quoted', text: inQuotes.trim(), fold: foldName(inQuotes), ...place };
    if (pause !== undefined) return { kind: 'pause', text: pause, fold: '', ...place };
    const plain = word === undefined ? match[0] : word.replace(/(?<=[^.]{2})\.+$/, '');
    return { kind: 'word', text: plain, fold: foldName(plain), ...place, end: place.start + plain.length };
  });
}

/** Access to the words of a text. */
export interface Reader {
  readonly words: readonly Word[];
  /** The folded word at an index; empty if there is no word. */
  at(index: number): string;
  /** Whether the words at an index are these. */
  says(index: number, ...folds: readonly string[]): boolean;
  /** The number of words at an index, at most `most`, before a pause, a quotation or the end. */
  stretch(index: number, most: number): number;
  /** The text of some words, including what is between them. */
  slice(index: number, length: number): string;
  /** The text between a word and the previous one. */
  before(index: number): string;
}

export function readerOf(text: string): Reader {
  const words = wordsOf(text);
  const at = (index: number): string => {
    const word = words[index];
    return word?.kind === 'word' ? word.fold : '';
  };
  /** The text from the start of one word to the end of another, or between two words. */
  const between = (first: Word | undefined, edge: 'start' | 'end', last: Word | undefined): string =>
    first === undefined || last === undefined
      ? ''
      : text.slice(first[edge], edge === 'start' ? last.end : last.start);
  return {
    words,
    at,
    says: (index, ...folds) => folds.every((fold, offset) => at(index + offset) === fold),
    stretch(index, most) {
      let length = 0;
      while (length < most && words[index + length]?.kind === 'word') length++;
      return length;
    },
    slice: (index, length) => between(words[index], 'start', words[index + length - 1]),
    before: (index) => between(words[index - 1], 'end', words[index]),
  };
}
