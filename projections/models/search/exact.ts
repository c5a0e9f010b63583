import { fnv1a } from '../../engine/fnv1a.ts';
import type { SpacedWords } from './document.ts';
import { keyOf } from './words.ts';

/** What a whole query may equal: the title, the artist, or artist and title. */
type ExactField = 'title' | 'artist' | 'both';

/** FNV-1a, then mixed: buckets use the upper bits. */
export function exactHash(field: ExactField, key: string): number {
  let hash = fnv1a(`${field} ${key}`);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

const keyIn = ({ words }: SpacedWords): string => keyOf(words.split(' '));

/** The whole-text hashes of a release group; none for a text without words. */
export function exactHashes(title: SpacedWords, artist: SpacedWords): number[] {
  const [titleKey, artistKey] = [keyIn(title), keyIn(artist)];
  const hashes: number[] = [];
  if (titleKey !== '') hashes.push(exactHash('title', titleKey));
  if (artistKey !== '') hashes.push(exactHash('artist', artistKey));
  if (titleKey !== '' && artistKey !== '') hashes.push(exactHash('both', artistKey + titleKey));
  return hashes;
}

/** Approximate entries in a bucket. */
const BUCKET_ENTRIES = 128;

/** How many upper bits of a hash select its bucket. */
export const bucketBits = (entries: number): number =>
  Math.max(0, Math.ceil(Math.log2(Math.max(1, entries / BUCKET_ENTRIES))));

export const bucketOfHash = (hash: number, bits: number): number => (bits === 0 ? 0 : hash >>> (32 - bits));

/** The ranks of a hash within a bucket, sorted. @param pairs alternating hash and rank */
export const ranksUnder = (pairs: Uint32Array, hash: number): number[] => {
  const ranks: number[] = [];
  for (let at = 0; at < pairs.length; at += 2) if (pairs[at] === hash) ranks.push(pairs[at + 1] ?? 0);
  return ranks;
};
