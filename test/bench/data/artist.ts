import { hash } from 'node:crypto';
import { type Random, randomOf } from './random.ts';
import { toSlug, uniqueName } from './words.ts';

/** A synthetic artist: its identity and its fame, which decides how many rows it has. */
export interface Artist {
  readonly name: string;
  readonly slug: string;
  readonly clusterId: string;
  readonly catalogId: number;
  /** 0 to 1; most are near 0. */
  readonly fame: number;
}

const FIRST_CATALOG_ID = 1_000;

/** All a request for an artist needs, without the rest. */
export const catalogIdOf = (index: number): number => FIRST_CATALOG_ID + index;

export const artistSlug = (index: number): string => `${toSlug(uniqueName(index))}-${catalogIdOf(index)}`;

export const clusterIdOf = (index: number): string =>
  hash('sha256', `pe-norm-v1-artist\n${artistSlug(index)}`, 'hex');

export function artistOf(seed: number, index: number): { artist: Artist; random: Random } {
  const random = randomOf(seed, index);
  const artist = {
    name: uniqueName(index),
    slug: artistSlug(index),
    clusterId: clusterIdOf(index),
    catalogId: catalogIdOf(index),
    fame: random.fraction() ** 14,
  };
  return { artist, random };
}
