/** Country, registrant, year and number: CC-XXX-YY-NNNNN. */
const ISRC = /^[A-Z]{2}[A-Z\d]{3}\d{7}$/;
const SEPARATORS = /[\s\p{Pd}]+/gu;
const PREFIX = /^ISRC:?/;
const LENGTH = 12;
const MAX_LENGTH = 100;

/**
 * The 12 characters of an ISRC in capitals; null if the text is not one. Ignores hyphens, spaces, case and a leading
 * `ISRC`.
 */
export function normaliseIsrc(text: string): string | null {
  if (text.length > MAX_LENGTH) return null;
  const code = inCapitals(text.replace(SEPARATORS, ''));
  // An Icelandic code may begin with these letters too.
  const bare = code.length > LENGTH ? code.replace(PREFIX, '') : code;
  return ISRC.test(bare) ? bare : null;
}

/** ASCII only: `toUpperCase` would turn other letters into ASCII capitals. */
const inCapitals = (text: string): string => text.replace(/[a-z]/g, (letter) => letter.toUpperCase());
