import type { Print } from './command.ts';

/** Prints rows under their column names, separated by tabs; what is absent is empty, instants are ISO 8601. */
export function printTable<R extends object>(
  print: Print,
  columns: readonly (keyof R & string)[],
  rows: readonly R[],
): void {
  const cell = (value: unknown): string => {
    if (value === null || value === undefined) return '';
    const text = value instanceof Date ? value.toISOString() : String(value);
    return text.replaceAll(/[\t\r\n]+/g, ' ');
  };
  print(columns.join('\t'));
  for (const row of rows) print(columns.map((column) => cell(row[column])).join('\t'));
}
