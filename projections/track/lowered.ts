const PLAIN = /^[!-@[-~]+(?: [!-@[-~]+)*$/;

/** The text that parts of titles are looked for in: lower case, single spaces, nothing that cannot be seen. */
export function lowered(text: string): string {
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
