/**
 * The form in which names are compared: NFKC, lower case, trimmed, single spaces. Invisible marks of writing direction are
 * removed.
 */
export function normalizeName(name: string): string {
  return name
    .replace(/\p{Bidi_Control}+/gu, '')
    .normalize('NFKC')
    .toLowerCase()
    .trim()
    .replace(/\s+/gu, ' ');
}

/** "Name" of a numbered homonym "Name (2)"; null if the name has no number. */
export function bareName(name: string): string | null {
  return /^(.*\S)\s*\(\d+\)$/su.exec(name.trim())?.[1] ?? null;
}
