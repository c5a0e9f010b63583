import { hash } from 'node:crypto';
import { randomOf } from '../data/random.ts';
import { title, uniqueName } from '../data/words.ts';

/** A track by its number: whose it is, what it is called, how well known it is. */
export interface BenchTrack {
  readonly artist: string;
  readonly credit: string;
  readonly title: string;
  readonly releases: number;
  readonly lengthMs: number;
}

const TRACKS_AN_ARTIST = 5;
/** Of one storefront release. */
export const TRACKS_AN_ITEM = 10;
/** Tracks that only a storefront has, at the end of the numbers. */
const SOLD_SHARE = 0.2;
const MOST_RELEASES = 5_000;
const STREAM = 7;

/** How many of so many tracks are recordings of the metadata database; the others come in whole items. */
export const recordingsOf = (tracks: number): number =>
  tracks - Math.floor((tracks * SOLD_SHARE) / TRACKS_AN_ITEM) * TRACKS_AN_ITEM;

const clusterOf = (artist: number): string => hash('sha256', `track artist ${artist}`, 'hex');

/**
 * Titles are of one to four words, the common ones more often, so that some are those of thousands of tracks; most
 * recordings are on one release, few on many.
 */
export function trackOf(number: number): BenchTrack {
  const random = randomOf(STREAM, number);
  const artist = Math.floor(number / TRACKS_AN_ARTIST);
  const name = title(random, 1, 4);
  const version = random.chance(0.15) ? ` (${random.chance(0.5) ? 'Original' : uniqueName(artist)} Mix)` : '';
  return {
    artist: clusterOf(artist),
    credit: uniqueName(artist),
    title: name + version,
    releases: Math.min(MOST_RELEASES, Math.floor((1 - random.fraction()) ** -0.8)),
    lengthMs: random.whole(60_000, 600_000),
  };
}
