/** Reads the text `null` of nullable parameters as empty text, which validation reads as null. */
export function readNulls(query: Record<string, unknown>, names: readonly string[]): void {
  for (const name of names) if (query[name] === 'null') query[name] = '';
}
