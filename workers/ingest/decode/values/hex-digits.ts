/** Bits above a byte, so that they add up with the high byte of a character beyond Latin-1. */
const UPPER_CASE = 0x100;
const NO_DIGIT = 0x200;

const KINDS = new Uint16Array(256).fill(NO_DIGIT);
for (const digit of '0123456789abcdef') KINDS[digit.charCodeAt(0)] = 0;
for (const digit of 'ABCDEF') KINDS[digit.charCodeAt(0)] = UPPER_CASE;

/**
 * Looks at the characters from one index to before another; 0 where all are lower-case hex digits. Free of
 * branches, which mixed digits and letters would mislead; results of several stretches may be joined by `|`.
 */
export function hexKinds(text: string, from: number, to: number): number {
  let kinds = 0;
  for (let index = from; index < to; index++) {
    const code = text.charCodeAt(index);
    kinds |= (KINDS[code & 0xff] as number) | (code >> 8);
  }
  return kinds;
}

/** The text in lower case as JSON; null where the kinds of its characters show more than hex digits. */
export function lowerCaseJson(text: string, kinds: number): string | null {
  if (kinds === 0) return `"${text}"`;
  return kinds === UPPER_CASE ? `"${text.toLowerCase()}"` : null;
}
