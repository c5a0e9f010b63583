const PLAIN = /^[!-@[-~]+(?: [!-@[-~]+)*$/;

/** The form in which parts of titles are searched: lower case, single spaces, no invisible characters. */
export function foldTitle(text: string): string {
  const folded = text.toLowerCase();
  if (PLAIN.test(folded)) return folded;
  return text
    .toWellFormed()
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFC')
    .replace(/\p{Cf}+/gu, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}
