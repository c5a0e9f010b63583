/**
 * Folds a name, so that different spellings compare equal: drops case, accents, spaces and punctuation, and writes `&` and
 * `'n'` as "and".
 */
export const foldName = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll('&', ' and ')
    .replaceAll(/['’]n['’]?(?=\p{L}|\s|$)|(?<=^|\s)n(?=\s|$)/gu, ' and ')
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
