import { isUtf8 } from 'node:buffer';
import type { Print } from './command.ts';

const NOT_PLAIN = /[^\t\n\r -~]/g;
/** Invisible characters and those that change the direction of a line: a producer's text must not control the terminal. */
const CONTROLS = /(?![\t\n\r])[\p{Cc}\p{Cf}\u2028\u2029]/gu;

const hex = (character: string, digits: number): string =>
  (character.codePointAt(0) ?? 0).toString(16).padStart(digits, '0');

/** Text with its control characters written as \uNNNN. */
export const readableText = (text: string): string => text.replaceAll(CONTROLS, (one) => `\\u${hex(one, 4)}`);

/** Bytes as readable text. Bytes that are not UTF-8 are written as \xNN. */
export const readableBytes = (bytes: Buffer): string =>
  isUtf8(bytes)
    ? readableText(bytes.toString())
    : bytes.toString('latin1').replaceAll(NOT_PLAIN, (one) => `\\x${hex(one, 2)}`);

/** Prints rows under their column names, separated by tabs. Instants are ISO 8601, numbers have up to three decimals. */
export function printTable<R extends object>(
  print: Print,
  columns: readonly (keyof R & string)[],
  rows: readonly R[],
): void {
  print(columns.join('\t'));
  for (const row of rows) printRow(print, columns, row);
}

export function printRow<R extends object>(
  print: Print,
  columns: readonly (keyof R & string)[],
  row: R,
): void {
  print(columns.map((column) => cellOf(row[column])).join('\t'));
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(Math.round(value * 1_000) / 1_000);
  const text = value instanceof Date ? value.toISOString() : String(value);
  return readableText(text.replaceAll(/[\t\r\n]+/g, ' '));
}
