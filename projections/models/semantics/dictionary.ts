import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Static, Type } from '@sinclair/typebox';
import { orNull } from '../../engine/values.ts';
import { describedSurfaces } from './index.ts';
import { type Semantics, semanticsProperties } from './semantics.ts';
import { terms } from './terms.ts';

/** Raised when an entry or field is removed or changes its meaning; additions do not raise it. */
export const SCHEMA_VERSION = 1;
const GENERATOR = 'linernotes/projections/semantics';
const DICTIONARY_PATH = '/api/v2/semantics/dictionary.json';

/** The committed, compiled dictionary. */
export const DICTIONARY_FILE = new URL('./dictionary.json', import.meta.url);

export const DictionaryEntry = Type.Object({
  ...semanticsProperties,
  producer: orNull(Type.String({ description: 'Producer of the surface; null for a term of all surfaces.' })),
  source_sha: orNull(Type.String({ description: 'SHA-256 of the source of the entry.' })),
  surface: orNull(Type.String({ description: 'The described surface; null for a term of all surfaces.' })),
});
export type DictionaryEntry = Static<typeof DictionaryEntry>;

export interface Dictionary {
  readonly schema_version: number;
  readonly generator: string;
  /** SHA-256 over the sources of all entries. */
  readonly source_sha: string;
  /** Day of the last change of the entries, YYYY-MM-DD. */
  readonly vendored_at: string;
  readonly entries: Readonly<Record<string, DictionaryEntry>>;
}

/** Compiles the dictionary: terms first, then surfaces. */
export function compileDictionary(): Omit<Dictionary, 'vendored_at'> {
  const entries = Object.fromEntries([
    ...Object.entries(terms).map(([name, semantics]) => [name, entryOf(name, semantics, null)] as const),
    ...describedSurfaces.map(
      ({ source: { table, owner }, semantics }) => [table, entryOf(table, semantics, owner)] as const,
    ),
  ]);
  const shas = Object.values(entries).map(({ source_sha }) => source_sha);
  return { schema_version: SCHEMA_VERSION, generator: GENERATOR, source_sha: sha256(shas.join()), entries };
}

/** @param producer null for a term, which has no surface */
function entryOf(name: string, semantics: Semantics, producer: string | null): DictionaryEntry {
  const surface = producer === null ? null : name;
  const source_sha = sha256(JSON.stringify([name, producer, surface, semantics]));
  return { ...semantics, producer, source_sha, surface };
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Reads the committed dictionary. */
export const readDictionary = (): Dictionary => JSON.parse(readFileSync(DICTIONARY_FILE, 'utf8'));

/** Path of a surface's entry in the dictionary; of the whole dictionary if it has none. */
export function dictionaryPath(table: string): string {
  const isDescribed = describedSurfaces.some(({ source }) => source.table === table);
  return isDescribed ? `${DICTIONARY_PATH}#/entries/${table}` : DICTIONARY_PATH;
}
