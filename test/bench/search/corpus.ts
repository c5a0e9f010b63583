import { hash } from 'node:crypto';
import type { catalogMaster } from '../../../projections/contracts/catalog/master.ts';
import { catalogMasterCube } from '../../../projections/contracts/catalog/master-cube.ts';
import type { Row } from '../../../projections/contracts/contract.ts';
import { artistIdentityBridge } from '../../../projections/contracts/seen/artist-identity-bridge.ts';
import { type MirrorRow, MirrorRows, type SubjectRef } from '../../../projections/engine/rows.ts';
import { type SearchDocument, searchDocument } from '../../../projections/models/search/document.ts';
import { bySubject } from '../../support/rows/by-subject.ts';
import { type Random, randomOf } from '../data/random.ts';

/** Of the made-up catalogue: how many words, artists and labels there are grows with the number of release groups. */
export interface Corpus {
  readonly seed: number;
  readonly releaseGroups: number;
}

const STREAM = { releaseGroup: 11, artist: 12 };
const ONSETS = ['b', 'd', 'f', 'g', 'k', 'l', 'm', 'n', 'p', 'r', 's', 't', 'v', 'w', 'sh', 'tr'];
const VOWELS = ['a', 'e', 'i', 'o', 'u', 'é', 'ö', 'ai'];
const SYLLABLES = ONSETS.length * VOWELS.length;
/** The most common words. */
const COMMON = [
  'the',
  'of',
  'love',
  'you',
  'me',
  'in',
  'and',
  'a',
  'to',
  'my',
  'live',
  'remix',
  'night',
  'best',
];
const WORDS = 120_000;

/** The word of a number: the smaller the number, the more it is used. */
export function wordOf(number: number): string {
  const common = COMMON[number];
  if (common !== undefined) return common;
  let word = '';
  for (let rest = number; rest > 0 || word.length < 3; rest = Math.floor(rest / SYLLABLES)) {
    const syllable = rest % SYLLABLES;
    word += (ONSETS[syllable % ONSETS.length] ?? '') + (VOWELS[Math.floor(syllable / ONSETS.length)] ?? '');
  }
  return word;
}

/** Zipf's law: the number n is drawn as often as 1/n says. */
const drawn = (random: Random, most: number): number => Math.floor(most ** random.fraction()) - 1;

const phrase = (random: Random, least: number, most: number): string =>
  Array.from({ length: random.whole(least, most) }, () => capital(wordOf(drawn(random, WORDS)))).join(' ');

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

const artistName = ({ seed }: Corpus, number: number): string =>
  phrase(randomOf(seed + STREAM.artist, number), 1, 3);

export const corpusLabel = (number: number): string =>
  `${capital(wordOf(number * 7 + COMMON.length))} Records`;
export const GENRES = Array.from({ length: 15 }, (_, number) => `Genre ${number + 1}`);
export const STYLES = Array.from({ length: 300 }, (_, number) => `Style ${number + 1}`);
export const FORMATS = ['Vinyl', 'CD', 'LP', 'File', '12"', 'Album', 'Single', 'Cassette', 'EP', '7"'];
export const COUNTRIES = [
  'US',
  'GB',
  'DE',
  'FR',
  'JP',
  'NL',
  'IT',
  'CA',
  'SE',
  'AU',
  'ES',
  'BE',
  'BR',
  'PL',
  'FI',
];

/** The release group of a number: its own rows are enough to make all that the search knows of it. */
export function releaseGroup(corpus: Corpus, number: number): SearchDocument {
  const random = randomOf(corpus.seed + STREAM.releaseGroup, number);
  const artists = Math.max(1, Math.floor(corpus.releaseGroups / 6));
  const artist = drawn(random, artists);
  const several = (values: readonly string[], most: number): string[] => [
    ...new Set(
      Array.from({ length: random.whole(1, most) }, () => values[drawn(random, values.length)] ?? ''),
    ),
  ];
  const master: Row<typeof catalogMaster> = {
    master_id: number + 1,
    title: phrase(random, 1, 5),
    artist_display: artistName(corpus, artist),
    catalog_artist_ids: [artist + 1],
    artist_cluster_id: null,
    year: random.chance(0.95) ? 2020 - drawn(random, 70) : null,
    genres: several(GENRES, 2),
    styles: several(STYLES, 3),
    formats: several(FORMATS, 2),
    country: random.chance(0.9) ? (COUNTRIES[drawn(random, COUNTRIES.length)] ?? null) : null,
    labels: [corpusLabel(drawn(random, Math.max(1, Math.floor(corpus.releaseGroups / 40))))],
    release_count: null,
    rg_mbid: null,
    tracklist: null,
  };
  const cube: Row<typeof catalogMasterCube> = {
    master_id: number + 1,
    cube_quadrant: random.chance(0.8) ? random.whole(0, 7).toString(2).padStart(3, '0') : null,
    owner_count: random.chance(0.7) ? Math.floor(200_000 / (1 + drawn(random, 200_000))) : null,
    dj_count: random.chance(0.5) ? Math.floor(2_000 / (1 + drawn(random, 2_000))) : null,
    critic_count: random.chance(0.3) ? random.whole(0, 20) : null,
  };
  return searchDocument(master, rowsOf(master, cube, artist));
}

function rowsOf(
  master: Row<typeof catalogMaster>,
  cube: Row<typeof catalogMasterCube>,
  artist: number,
): MirrorRows {
  const bridge: Row<typeof artistIdentityBridge> = {
    cluster_id: hash('sha256', String(artist), 'hex'),
    catalog_artist_id: artist + 1,
    catalog_artist_id_count: 1,
    mbid: null,
    is_exact: artist % 3 > 0,
    bind_method: 'id',
    confidence: 1,
  };
  const one = (ref: SubjectRef, row: object): Map<SubjectRef, MirrorRow[]> =>
    new Map([[ref, [{ row, changedAt: 0 }]]]);
  return new MirrorRows(
    bySubject([
      [catalogMasterCube.table, one(`master:${master.master_id}`, cube)],
      [artistIdentityBridge.table, one(`catalog-artist:${artist + 1}`, bridge)],
    ]),
    new Set(),
  );
}
