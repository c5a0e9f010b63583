import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Static, Type } from '@sinclair/typebox';
import { orNull } from '../values.ts';
import { describedSurfaces } from './index.ts';
import { type Semantics, semanticsProperties } from './semantics.ts';
import { terms } from './terms.ts';

/** Raised when an entry or a field goes or changes its meaning; what is added does not raise it. */
export const SCHEMA_VERSION = 1;
const GENERATOR = 'linernotes/projections/semantics';
const DICTIONARY_PATH = '/api/v2/semantics/dictionary.json';

/** Where the compiled dictionary is kept. */
export const DICTIONARY_FILE = new URL('./dictionary.json', import.meta.url);

export const DictionaryEntry = Type.Object({
  ...semanticsProperties,
  producer: orNull(
    Type.String({ description: 'Who produces the surface; null for a term of all surfaces.' }),
  ),
  source_sha: orNull(Type.String({ description: 'SHA-256 of what the entry was compiled from.' })),
  surface: orNull(Type.String({ description: 'The surface it speaks of; null for a term of all surfaces.' })),
});
export type DictionaryEntry = Static<typeof DictionaryEntry>;

export interface Dictionary {
  readonly schema_version: number;
  readonly generator: string;
  /** SHA-256 over what all entries were compiled from. */
  readonly source_sha: string;
  /** Day on which the entries were last compiled to something else than before, YYYY-MM-DD. */
  readonly vendored_at: string;
  readonly entries: Readonly<Record<string, DictionaryEntry>>;
}

/** Compiles the dictionary from what is declared: the terms, then the surfaces. */
export function compileDictionary(): Omit<Dictionary, 'vendored_at'> {
  const entries = Object.fromEntries([
    ...Object.entries(terms).map(([name, said]) => [name, entryOf(name, said, null, null)] as const),
    ...describedSurfaces.map(({ source: { table, owner }, semantics }) => {
      return [table, entryOf(table, semantics, owner, table)] as const;
    }),
  ]);
  const shas = Object.values(entries).map(({ source_sha }) => source_sha);
  return { schema_version: SCHEMA_VERSION, generator: GENERATOR, source_sha: sha256(shas.join()), entries };
}

function entryOf(
  name: string,
  said: Semantics,
  producer: string | null,
  surface: string | null,
): DictionaryEntry {
  const source_sha = sha256(JSON.stringify([name, producer, surface, said]));
  return { ...said, producer, source_sha, surface };
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The dictionary as it was last compiled. */
export const readDictionary = (): Dictionary => JSON.parse(readFileSync(DICTIONARY_FILE, 'utf8'));

/** Where a surface is spoken of in the dictionary; the whole of it where it has no entry. */
export function dictionaryPath(table: string): string {
  const isDescribed = describedSurfaces.some(({ source }) => source.table === table);
  return isDescribed ? `${DICTIONARY_PATH}#/entries/${table}` : DICTIONARY_PATH;
}
