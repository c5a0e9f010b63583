import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { bucketOfHash, ranksUnder } from '../../../projections/models/search/exact.ts';
import { EXACT, type Generation } from '../../../projections/models/search/generation.ts';
import { decodeRanks } from '../../../projections/models/search/posting-codec.ts';
import { bytesIn, EMPTY, unite } from '../../../projections/models/search/rank-set.ts';
import {
  type ListName,
  type PostingRow,
  readColumns,
  readPostings,
  readRows,
  readValues,
} from './read-generation.ts';
import { facetValues, type Segment, type WordSets } from './segment.ts';

/** Memory for cached lists of all generations together. */
const CACHE_BYTES = 48 * 1024 * 1024;
const OVERHEAD_BYTES = 64;

/** A cached list: of release groups, or of the hashes of one bucket. */
type CachedList =
  | { readonly kind: 'sets'; readonly sets: WordSets }
  | { readonly kind: 'pairs'; readonly pairs: Uint32Array };

type Found = ReadonlyMap<string, CachedList>;

export type ListCache = LRUCache<string, CachedList>;

/** A list of more than a quarter of the memory is not cached, because it would evict everything else. */
export const listCache = (): ListCache =>
  new LRUCache({ maxSize: CACHE_BYTES, maxEntrySize: CACHE_BYTES / 4, sizeCalculation: bytesOf });

const NOWHERE: WordSets = { anywhere: EMPTY, inTitle: EMPTY };

const keyOf = ({ kind, term }: ListName): string => `${kind} ${term}`;

/** Opens a generation: reads its columns into memory, its lists and rows on demand. */
export async function openStoredSegment(
  pool: Pool,
  generation: Generation,
  cache: ListCache,
): Promise<Segment> {
  const columns = await readColumns(pool, generation.id);
  const values = await readValues(pool, generation.id);
  const lists = listReader(pool, generation, cache);
  const bucketOf = (hash: number): ListName => ({
    kind: EXACT,
    term: String(bucketOfHash(hash, generation.exactBits)),
  });
  return {
    columns,
    size: generation.documents,
    ...facetValues(values),
    async lookUp({ words, prefix, hashes, values: requested }) {
      const ofWords = words.map((term) => ({ kind: 'word', term }));
      const ofPrefix = prefix === null ? [] : [{ kind: 'prefix', term: prefix }];
      const ofValues = requested.map(({ facet, folded }) => ({ kind: facet, term: folded }));
      const found = await lists([...ofWords, ...ofPrefix, ...hashes.map(bucketOf), ...ofValues]);
      const [prefixed] = ofPrefix;
      return {
        words: ofWords.map((name) => setsIn(found, name)),
        prefix: prefixed === undefined ? null : setsIn(found, prefixed),
        hashes: hashes.map((hash) => {
          const kept = found.get(keyOf(bucketOf(hash)));
          return kept?.kind === 'pairs' ? ranksUnder(kept.pairs, hash) : [];
        }),
        values: ofValues.map((name) => setsIn(found, name).anywhere),
      };
    },
    rows: (ranks) => readRows(pool, generation.id, ranks),
  };
}

function setsIn(found: Found, name: ListName): WordSets {
  const kept = found.get(keyOf(name));
  return kept?.kind === 'sets' ? kept.sets : NOWHERE;
}

/** Reads lists from the cache and missing ones with one statement. */
function listReader(
  pool: Pool,
  generation: Generation,
  cache: ListCache,
): (names: readonly ListName[]) => Promise<Found> {
  const cacheKey = (key: string): string => `${generation.id} ${key}`;
  return async (names) => {
    const found = new Map<string, CachedList>();
    const missing = new Map<string, ListName>();
    for (const name of names) {
      const key = keyOf(name);
      const kept = cache.get(cacheKey(key));
      if (kept === undefined) missing.set(key, name);
      else found.set(key, kept);
    }
    if (missing.size === 0) return found;
    for (const [key, kept] of await readCachedList(pool, generation, [...missing.values()])) {
      found.set(key, kept);
      cache.set(cacheKey(key), kept);
    }
    return found;
  };
}

async function readCachedList(
  pool: Pool,
  { id, documents }: Generation,
  missing: readonly ListName[],
): Promise<[key: string, kept: CachedList][]> {
  const prefix = missing.find(({ kind }) => kind === 'prefix')?.term ?? null;
  const whole = missing.filter(({ kind }) => kind !== 'prefix');
  const { lists, prefixed } = await readPostings(pool, id, { names: whole, prefix });
  const rows = new Map(lists.map((row) => [keyOf(row), row]));
  return missing.map((name) => {
    const key = keyOf(name);
    if (name.kind === 'prefix') return [key, { kind: 'sets', sets: together(prefixed, documents) }];
    const row = rows.get(key);
    return [key, row === undefined ? { kind: 'sets', sets: NOWHERE } : decode(row, documents)];
  });
}

function decode(row: PostingRow, size: number): CachedList {
  // Copy, because a Uint32Array needs an offset that is a multiple of four.
  if (row.kind === EXACT)
    return { kind: 'pairs', pairs: new Uint32Array(Uint8Array.from(row.anywhere).buffer) };
  return { kind: 'sets', sets: decodeSets(row, size) };
}

const decodeSets = ({ anywhere, in_title }: PostingRow, size: number): WordSets => ({
  anywhere: decodeRanks(anywhere, size),
  inTitle: in_title === null ? EMPTY : decodeRanks(in_title, size),
});

/** The union of the lists of a prefix: its own list, or those of its few words. */
function together(rows: readonly PostingRow[], size: number): WordSets {
  const sets = rows.map((row) => decodeSets(row, size));
  const anywhere = sets.map((each) => each.anywhere);
  const inTitle = sets.map((each) => each.inTitle);
  return { anywhere: unite(anywhere, size), inTitle: unite(inTitle, size) };
}

const bytesOf = (kept: CachedList): number =>
  OVERHEAD_BYTES +
  (kept.kind === 'pairs' ? kept.pairs.byteLength : bytesIn(kept.sets.anywhere) + bytesIn(kept.sets.inTitle));
