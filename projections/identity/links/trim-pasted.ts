/** A link without what prose, mail and chat put around it. */
export interface Trimmed {
  readonly text: string;
  /** The marks that ended the text: the end of a sentence, or of a name such as `Wham!`. */
  readonly tail: string;
}

const OPENING: ReadonlySet<string> = new Set('"\'`“”„‟‘’‚‛«»‹›<([{');
const CLOSING: ReadonlySet<string> = new Set('"\'`“”‟‘’‛«»‹›>)]}');
const MARKS: ReadonlySet<string> = new Set('.,;:!?…');
const BLANK = /[\s\p{Cf}]/u;

/** Reads each character once at most, from both ends. */
export function trimPasted(pasted: string): Trimmed {
  let start = 0;
  while (start < pasted.length && isAround(pasted.charAt(start), OPENING)) start += 1;
  // A parenthesis opened within the address is closed within it.
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
