import type { Lexicon } from './lexicon.ts';
import type { Reader } from './words.ts';

/** The meaning of some words of the text. */
export type Fact =
  /** A genre or style, in the spelling of each facet. */
  | { readonly kind: 'music'; readonly genre: string | null; readonly style: string | null }
  /** Any of the formats. */
  | { readonly kind: 'format'; readonly formats: readonly string[] }
  /** Null if the index lacks the country. */
  | { readonly kind: 'country'; readonly country: string | null }
  | { readonly kind: 'label'; readonly label: string }
  | { readonly kind: 'years'; readonly from: number | null; readonly to: number | null }
  | { readonly kind: 'djs'; readonly least: number }
  /** Words to search for literally. */
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'without-artist'; readonly name: string }
  | { readonly kind: 'without-label'; readonly label: string }
  /** No meaning for the search. */
  | { readonly kind: 'idle' }
  /** Understood, but no filter expresses it. */
  | { readonly kind: 'inexpressible' };

/** A run of words and its fact; null if it has none. */
export interface TextPart {
  readonly start: number;
  readonly length: number;
  readonly fact: Fact | null;
  /** How it joins the previous part. */
  readonly joint: Joint;
}

/** `and` or `or` between two parts, `pause` for punctuation such as a comma. */
export type Joint = 'and' | 'or' | 'pause' | 'none';

export interface FactReading {
  /** Number of words. */
  readonly length: number;
  readonly fact: Fact;
}

export interface Scene {
  readonly reader: Reader;
  readonly lexicon: Lexicon;
  /** A label in the spelling of the index; null if it has no such label. */
  readonly label: (name: string) => Promise<string | null>;
}

/** Reads the words at an index; null if they are not of its kind. */
export type ReadFact = (scene: Scene, index: number) => FactReading | null | Promise<FactReading | null>;

/** The first reading by any of the readers. */
export async function firstReading(
  readers: readonly ReadFact[],
  scene: Scene,
  index: number,
): Promise<FactReading | null> {
  for (const read of readers) {
    const reading = await read(scene, index);
    if (reading !== null) return reading;
  }
  return null;
}
