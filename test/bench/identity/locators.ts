import { hash } from 'node:crypto';
import { linkSites } from '../../../projections/models/shared/hosts.ts';
import { artistSlug, catalogIdOf, clusterIdOf } from '../data/artist.ts';
import { randomOf } from '../data/random.ts';
import { title, uniqueName } from '../data/words.ts';

/** How many artists there are, and recordings of all of them together. */
export interface Catalogue {
  readonly artists: number;
  readonly recordings: number;
}

/** Kinds of locators. `unknown` and `near` are names without an artist; `near` resembles the name of one. */
export const askedBy = [
  'url',
  'q',
  'cluster',
  'catalog',
  'mbid',
  'isrc',
  'artist_track',
  'unknown',
  'near',
] as const;
export type AskedBy = (typeof askedBy)[number];

const padded = (number: number, digits: number): string => String(number).padStart(digits, '0');

export const mbidOf = (index: number): string => `00000000-0000-4000-8000-${padded(index, 12)}`;
export const storefrontOf = (index: number): string =>
  `https://${artistSlug(index)}.${linkSites.storefront.domains[0]}`;
export const streamingIdOf = (index: number): string => padded(index, 22);
export const websiteOf = (index: number): string => `https://${artistSlug(index)}.example`;

/** Recordings are dealt out to the artists in turn. */
const performerOf = (recording: number, { artists }: Catalogue): number => recording % artists;
export const isrcOf = (recording: number): string => `QZAB1${padded(recording, 7)}`;
export const titleOf = (recording: number): string => `${title(randomOf(1, recording), 1, 4)} (${recording})`;
export const recordingIdOf = (recording: number): string =>
  hash('sha256', `pe-norm-v1-recording\n${recording}`, 'hex');

/** A locator, and the artist that it must resolve to; null for none. */
export interface Asked {
  readonly locator: Readonly<Record<string, string>>;
  readonly artist: number | null;
}

/** @param number any; locators repeat after as many numbers as there are artists, or recordings */
export function askedFor(by: AskedBy, number: number, catalogue: Catalogue): Asked {
  const artist = number % catalogue.artists;
  const recording = number % catalogue.recordings;
  const performer = performerOf(recording, catalogue);
  switch (by) {
    case 'url':
      return { locator: { url: `${storefrontOf(artist)}/album/one?from=search` }, artist };
    case 'q':
      return { locator: { q: uniqueName(artist) }, artist };
    case 'cluster':
      return { locator: { cluster: clusterIdOf(artist) }, artist };
    case 'catalog':
      return { locator: { catalog: String(catalogIdOf(artist)) }, artist };
    case 'mbid':
      return { locator: { mbid: mbidOf(artist) }, artist };
    case 'isrc':
      return { locator: { isrc: isrcOf(recording) }, artist: performer };
    case 'artist_track':
      return {
        locator: { artist: uniqueName(performer), track: titleOf(recording).toUpperCase() },
        artist: performer,
      };
    case 'unknown':
      return { locator: { q: [...uniqueName(artist)].reverse().join('') }, artist: null };
    case 'near':
      return { locator: { q: `${uniqueName(artist)} trio` }, artist: null };
  }
}

const mixed = askedBy.filter((by) => by !== 'near');

/** Distance between the artists of one request, so that they are unrelated; a prime. */
const APART = 104_729;

/** Locators of every kind in turn; one in eight is a name without an artist. */
export const mixedLocators = (count: number, from: number, catalogue: Catalogue): Asked['locator'][] =>
  Array.from({ length: count }, (_, index) => {
    const by = mixed[index % mixed.length] ?? 'q';
    return askedFor(by, from + index * APART, catalogue).locator;
  });
