import type { Pool } from 'pg';
import { bucketOfHash, ranksUnder } from '../../../projections/search/exact.ts';
import { EXACT, type Generation } from '../../../projections/search/generation.ts';
import { decodeRanks } from '../../../projections/search/posting-codec.ts';
import { bytesIn, EMPTY, unite } from '../../../projections/search/rank-set.ts';
import { type BoundedCache, boundedCache } from './bounded-cache.ts';
import {
  type ListName,
  type PostingRow,
  readColumns,
  readPostings,
  readRows,
  readValues,
} from './read-generation.ts';
import { firstSpellings, type Segment, type WordSets } from './segment.ts';

/** Memory for lists that were read, of all generations together: those that are asked for most often stay. */
const CACHE_BYTES = 48 * 1024 * 1024;
const OVERHEAD_BYTES = 64;

/** A list as it is kept in memory: of release groups, or of the hashes of one bucket. */
type Kept =
  | { readonly kind: 'sets'; readonly sets: WordSets }
  | { readonly kind: 'pairs'; readonly pairs: Uint32Array };

type Found = ReadonlyMap<string, Kept>;

export type ListCache = BoundedCache<Kept>;

export const listCache = (): ListCache => boundedCache(CACHE_BYTES);

const NOWHERE: WordSets = { anywhere: EMPTY, inTitle: EMPTY };

const keyOf = ({ kind, term }: ListName): string => `${kind} ${term}`;

/** Opens a generation: its columns are read into memory, its lists and rows when they are asked for. */
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
    valueCount: values.length,
    sameAs: firstSpellings(values),
    valueOf(number) {
      const value = values[number];
      if (value === undefined) throw new Error(`there is no facet value ${number}`);
      return value;
    },
    async tell({ words, prefix, hashes, values: asked }) {
      const ofWords = words.map((term) => ({ kind: 'word', term }));
      const ofPrefix = prefix === null ? [] : [{ kind: 'prefix', term: prefix }];
      const ofValues = asked.map(({ facet, folded }) => ({ kind: facet, term: folded }));
      const found = await lists([...ofWords, ...ofPrefix, ...hashes.map(bucketOf), ...ofValues]);
      const [beginning] = ofPrefix;
      return {
        words: ofWords.map((name) => setsIn(found, name)),
        prefix: beginning === undefined ? null : setsIn(found, beginning),
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

/** Reads lists, those that are not in memory by one statement. */
function listReader(
  pool: Pool,
  generation: Generation,
  cache: ListCache,
): (names: readonly ListName[]) => Promise<Found> {
  const cacheKey = (key: string): string => `${generation.id} ${key}`;
  return async (names) => {
    const found = new Map<string, Kept>();
    const missing = new Map<string, ListName>();
    for (const name of names) {
      const key = keyOf(name);
      const kept = cache.get(cacheKey(key));
      if (kept === undefined) missing.set(key, name);
      else found.set(key, kept);
    }
    if (missing.size === 0) return found;
    for (const [key, kept] of await readKept(pool, generation, [...missing.values()])) {
      found.set(key, kept);
      cache.set(cacheKey(key), kept, bytesOf(kept));
    }
    return found;
  };
}

async function readKept(
  pool: Pool,
  { id, documents }: Generation,
  missing: readonly ListName[],
): Promise<[key: string, kept: Kept][]> {
  const prefix = missing.find(({ kind }) => kind === 'prefix')?.term ?? null;
  const whole = missing.filter(({ kind }) => kind !== 'prefix');
  const { lists, beginning } = await readPostings(pool, id, whole, prefix);
  const rows = new Map(lists.map((row) => [keyOf(row), row]));
  return missing.map((name) => {
    const key = keyOf(name);
    if (name.kind === 'prefix') return [key, { kind: 'sets', sets: together(beginning, documents) }];
    const row = rows.get(key);
    return [key, row === undefined ? { kind: 'sets', sets: NOWHERE } : decode(row, documents)];
  });
}

function decode(row: PostingRow, size: number): Kept {
  // Copied, because numbers of four bytes must begin at a multiple of four.
  if (row.kind === EXACT)
    return { kind: 'pairs', pairs: new Uint32Array(Uint8Array.from(row.anywhere).buffer) };
  return { kind: 'sets', sets: decodeSets(row, size) };
}

const decodeSets = ({ anywhere, in_title }: PostingRow, size: number): WordSets => ({
  anywhere: decodeRanks(anywhere, size),
  inTitle: in_title === null ? EMPTY : decodeRanks(in_title, size),
});

/** The lists of a beginning: one of its own, or those of the few words that begin so. */
function together(rows: readonly PostingRow[], size: number): WordSets {
  const sets = rows.map((row) => decodeSets(row, size));
  const anywhere = sets.map((each) => each.anywhere);
  const inTitle = sets.map((each) => each.inTitle);
  return { anywhere: unite(anywhere, size), inTitle: unite(inTitle, size) };
}

const bytesOf = (kept: Kept): number =>
  OVERHEAD_BYTES +
  (kept.kind === 'pairs' ? kept.pairs.byteLength : bytesIn(kept.sets.anywhere) + bytesIn(kept.sets.inTitle));
