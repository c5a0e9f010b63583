/** A link without surrounding quotes, brackets and punctuation. */
export interface PastedText {
  readonly text: string;
  /** The punctuation that ended the text: of a sentence, or of a name such as `Wham!`. */
  readonly tail: string;
}

const OPENING: ReadonlySet<string> = new Set('"\'`“”„‟‘’‚‛«»‹›<([{');
const CLOSING: ReadonlySet<string> = new Set('"\'`“”‟‘’‛«»‹›>)]}');
const MARKS: ReadonlySet<string> = new Set('.,;:!?…');
const BLANK = /[\s\p{Cf}]/u;

/** Reads each character at most once, from both ends. */
export function trimPasted(pasted: string): PastedText {
  let start = 0;
  while (start < pasted.length && isAround(pasted.charAt(start), OPENING)) start += 1;
  // A parenthesis opened within the URL is closed within it.
  const keepsParenthesis = pasted.indexOf('(', start) !== -1;
  let end = pasted.length;
  let tail = '';
  for (; end > start; end -= 1) {
    const character = pasted.charAt(end - 1);
    if (MARKS.has(character)) tail = character + tail;
    else if (isAround(character, CLOSING) && !(character === ')' && keepsParenthesis)) tail = '';
    else break;
  }
  return { text: pasted.slice(start, end), tail };
}

const isAround = (character: string, marks: ReadonlySet<string>): boolean =>
  marks.has(character) || BLANK.test(character);
