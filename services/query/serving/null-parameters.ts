/** Parameters that may be null may be written out so: they come as if they were empty, which is what validation takes for null. */
export function readNulls(query: Record<string, unknown>, names: readonly string[]): void {
  for (const name of names) if (query[name] === 'null') query[name] = '';
}
