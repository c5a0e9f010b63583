import { isUtf8 } from 'node:buffer';

const NOT_PLAIN = /[^\t\n\r -~]/g;
/** Also what turns the direction of a line, or cannot be seen: a producer's text must not act on the terminal. */
const CONTROLS = /(?![\t\n\r])[\p{Cc}\p{Cf}\u2028\u2029]/gu;

const hex = (character: string, digits: number): string =>
  (character.codePointAt(0) ?? 0).toString(16).padStart(digits, '0');

/** Text with its control characters written as \uNNNN. */
export const readableText = (text: string): string => text.replaceAll(CONTROLS, (one) => `\\u${hex(one, 4)}`);

/** Bytes as text: a control character as \uNNNN; what is no text, byte by byte, as \xNN. */
export const readableBytes = (bytes: Buffer): string =>
  isUtf8(bytes)
    ? readableText(bytes.toString())
    : bytes.toString('latin1').replaceAll(NOT_PLAIN, (one) => `\\x${hex(one, 2)}`);
