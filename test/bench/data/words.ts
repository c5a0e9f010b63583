import { type Random, randomOf } from './random.ts';

const ONSETS = [
  'b',
  'br',
  'c',
  'ch',
  'd',
  'dr',
  'f',
  'fl',
  'g',
  'gr',
  'h',
  'j',
  'k',
  'l',
  'm',
  'n',
  'p',
  'pr',
  'r',
  's',
  'sh',
  'st',
  't',
  'tr',
  'v',
  'w',
  '',
];
const VOWELS = ['a', 'e', 'i', 'o', 'u', 'ea', 'ou', 'ai', 'ee', 'ö', 'é'];
const CODAS = ['', '', 'n', 'r', 's', 't', 'l', 'nd', 'ck', 'm', 'ng', 'st'];
const VOCABULARY = 3_000;

/** Made-up words of one to three syllables; the first are the most used, as in any language. */
const words: readonly string[] = (() => {
  const random = randomOf(1, 1);
  const made = new Set<string>();
  while (made.size < VOCABULARY) {
    const syllables = random.whole(1, 3);
    let word = '';
    for (let syllable = 0; syllable < syllables; syllable++)
      word += random.pick(ONSETS) + random.pick(VOWELS) + random.pick(CODAS);
    if (word.length > 1) made.add(word);
  }
  return [...made];
})();

const word = (random: Random): string => words[Math.floor(random.fraction() ** 3 * words.length)] ?? '';

/** Between `least` and `most` words, the common ones more often, the first with a capital. */
export function sentence(random: Random, least: number, most: number): string {
  const text = Array.from({ length: random.whole(least, most) }, () => word(random)).join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** As `sentence`, every word with a capital. */
export const title = (random: Random, least: number, most: number): string =>
  sentence(random, least, most).replaceAll(/ ./g, (start) => start.toUpperCase());

/** Words for a path: lower case, joined by hyphens, ASCII. */
export const toSlug = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll('é', 'e')
    .replaceAll('ö', 'o')
    .replaceAll(/[^a-z0-9]+/g, '-');

const PARTS = [257, 251, 17];

/** A name of three words that no other number below a million gives. */
export function uniqueName(number: number): string {
  let rest = number;
  const chosen = PARTS.map((size, part) => {
    // Multiplied by a prime that does not divide the size, so that neighbours differ in the first letters.
    const index = (Math.imul(rest % size, 101) + part * 31) % size;
    rest = Math.floor(rest / size);
    return words[part * 300 + index] ?? '';
  });
  const name = chosen.map((text) => text.charAt(0).toUpperCase() + text.slice(1)).join(' ');
  return rest === 0 ? name : `${name} ${rest + 1}`;
}
