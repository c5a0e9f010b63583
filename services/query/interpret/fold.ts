/**
 * A name as people may write it any way they like: without case, accents, spaces and punctuation; `&` and `'n'` are
 * the word they stand for.
 */
export const foldName = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll('&', ' and ')
    .replaceAll(/['’]n['’]?(?=\p{L}|\s|$)|(?<=^|\s)n(?=\s|$)/gu, ' and ')
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
