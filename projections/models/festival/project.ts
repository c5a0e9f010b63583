import { catalogArtist } from '../../contracts/catalog/artist.ts';
import type { Row } from '../../contracts/contract.ts';
import { artistIdentityBridge } from '../../contracts/seen/artist-identity-bridge.ts';
import { artistMomentum } from '../../contracts/seen/artist-momentum.ts';
import { festival } from '../../contracts/seen/festival.ts';
import { festivalEdition } from '../../contracts/seen/festival-edition.ts';
import { festivalLineup } from '../../contracts/seen/festival-lineup.ts';
import { dossierDocument } from '../../engine/dossier.ts';
import {
  type LookupKey,
  type ProjectedDocument,
  type Projection,
  type Read,
  type SourceRegistry,
  splitRef,
  subjectRef,
} from '../../engine/projection.ts';
import type { MirrorRows, SubjectRef } from '../../engine/rows.ts';
import { authoritativeRef, boundClusters } from '../artist/lanes.ts';
import { buildFestival } from './dossier.ts';
import { FestivalRows } from './festival-rows.ts';

const reads: readonly Read[] = [
  { source: festival, by: ['festival'] },
  { source: festivalEdition, by: ['festival'] },
  { source: festivalLineup, by: ['festival'] },
  { source: artistMomentum, by: ['artist'] },
  { source: artistIdentityBridge, by: ['artist'] },
  { source: catalogArtist, by: ['catalog-artist'] },
];

/** Lead from an artist to festivals. Not in `reads`: a changed line-up or bridge marks what it is the subject of. */
const LEADING: readonly Read[] = [
  { source: festivalLineup, by: ['artist'] },
  { source: artistIdentityBridge, by: ['catalog-artist'] },
];

/**
 * Festival dossiers, `festival:<id>`. They count emerging artists of the line-ups and link to them, so the festivals that
 * booked an artist are its dependents, and the clusters bound to a catalogue artist are its; neither has a document here.
 */
export const festivalProjection: Projection = {
  name: 'festival',
  version: 3,
  reads,
  keys: ['festival'],
  async project(keys, readRows, registry) {
    const rows = await readRows(reads, keys.filter(isFestival));
    const clusters = keys.flatMap((key) => artistsOf(key, rows));
    const artists = await readRows(reads, clusters);
    const catalog = await readRows(
      reads,
      clusters.flatMap((cluster) => authoritativeRef(artists, cluster) ?? []),
    );
    const leading = await readRows(
      LEADING,
      keys.filter((key) => !isFestival(key)),
    );
    return keys.map((key) =>
      isFestival(key)
        ? projectFestival(new FestivalRows(key, rows, artists.and(catalog)), registry)
        : { key, document: null, dependents: dependentsOf(key, leading) },
    );
  },
};

const isFestival = (key: SubjectRef): boolean => splitRef(key).kind === 'festival';

const artistsOf = (key: SubjectRef, rows: MirrorRows): SubjectRef[] =>
  isFestival(key)
    ? rows.all(festivalLineup, key).map((row) => subjectRef('artist', row.artist_cluster_id))
    : [];

const dependentsOf = (artist: SubjectRef, leading: MirrorRows): SubjectRef[] =>
  splitRef(artist).kind === 'artist'
    ? leading.all(festivalLineup, artist).map((row) => subjectRef('festival', row.festival_id))
    : boundClusters(leading, artist);

function projectFestival(rows: FestivalRows, registry: SourceRegistry): ProjectedDocument {
  const { key } = rows;
  const row = rows.one(festival);
  if (row === null) return { key, document: null, dependents: [] };
  const dossier = buildFestival(rows, row.slug.toLowerCase());
  return { key, document: dossierDocument(dossier, lookupKeysOf(row), registry), dependents: [] };
}

/** A merged slug belongs to the surviving festival, even while the merged one still has a row (see `bySurvivor`). */
const lookupKeysOf = (row: Row<typeof festival>): LookupKey[] => [
  ...row.merged_slugs.map(withRank(0)),
  withRank(1)(row.slug),
  ...row.aliases.map(withRank(2)),
];

const withRank =
  (rank: number) =>
  (name: string): LookupKey => ({ value: name.toLowerCase(), rank, support: 0 });
