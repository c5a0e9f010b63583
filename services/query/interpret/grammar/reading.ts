import type { Lexicon } from './lexicon.ts';
import type { Reader } from './words.ts';

/** What some words of the text were found to say. */
export type Fact =
  /** A name of music, as it is spelt in either facet. */
  | { readonly kind: 'music'; readonly genre: string | null; readonly style: string | null }
  /** Any of the formats. */
  | { readonly kind: 'format'; readonly formats: readonly string[] }
  /** Null where nothing searchable is from there. */
  | { readonly kind: 'country'; readonly country: string | null }
  | { readonly kind: 'label'; readonly label: string }
  | { readonly kind: 'years'; readonly from: number | null; readonly to: number | null }
  | { readonly kind: 'djs'; readonly least: number }
  /** Words to search for as they are. */
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'without-artist'; readonly name: string }
  | { readonly kind: 'without-label'; readonly label: string }
  /** Says nothing by itself. */
  | { readonly kind: 'idle' }
  /** Understood, but no filter says it. */
  | { readonly kind: 'inexpressible' };

export interface Reading {
  /** How many words it takes up. */
  readonly length: number;
  readonly fact: Fact;
}

export interface Scene {
  readonly reader: Reader;
  readonly lexicon: Lexicon;
  /** The label of that name as the index spells it; null where there is none. */
  readonly label: (name: string) => Promise<string | null>;
}

/** Reads what the words from a place on say; null where they are not of its kind. */
export type ReadFact = (scene: Scene, index: number) => Reading | null | Promise<Reading | null>;

/** What the first of several readers makes of the words from a place on. */
export async function firstReading(
  readers: readonly ReadFact[],
  scene: Scene,
  index: number,
): Promise<Reading | null> {
  for (const read of readers) {
    const reading = await read(scene, index);
    if (reading !== null) return reading;
  }
  return null;
}
