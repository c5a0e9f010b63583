/**
 * The form in which names are compared: NFKC, lower case, no white space around, single spaces within. Marks of
 * writing direction, which nobody sees or types, do not count.
 */
export function normalizeName(name: string): string {
  return name
    .replace(/\p{Bidi_Control}+/gu, '')
    .normalize('NFKC')
    .toLowerCase()
    .trim()
    .replace(/\s+/gu, ' ');
}

/** "Name" of a numbered homonym "Name (2)"; null where the name carries no number. */
export function bareName(name: string): string | null {
  return /^(.*\S)\s*\(\d+\)$/su.exec(name.trim())?.[1] ?? null;
}
