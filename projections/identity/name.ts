/** The form in which names are compared: NFKC, lower case, no white space around, single spaces within. */
export function normalizeName(name: string): string {
  return name.normalize('NFKC').toLowerCase().trim().replace(/\s+/gu, ' ');
}

/** "Name" of a numbered homonym "Name (2)"; null where the name carries no number. */
export function bareName(name: string): string | null {
  return /^(.*\S)\s*\(\d+\)$/su.exec(name.trim())?.[1] ?? null;
}
