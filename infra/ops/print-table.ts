import type { Print } from './command.ts';
import { readableText } from './readable.ts';

/**
 * Prints rows under their column names, separated by tabs; what is absent is empty, instants are ISO 8601, numbers
 * have three decimals at most.
 */
export function printTable<R extends object>(
  print: Print,
  columns: readonly (keyof R & string)[],
  rows: readonly R[],
): void {
  print(columns.join('\t'));
  for (const row of rows) printRow(print, columns, row);
}

/** One more row of a table. */
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
