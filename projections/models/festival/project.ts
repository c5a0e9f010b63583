import type { Row } from '../../contracts/contract.ts';
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
import { buildFestival } from './dossier.ts';
import { FestivalRows } from './festival-rows.ts';

const reads: readonly Read[] = [
  { source: festival, by: ['festival'] },
  { source: festivalEdition, by: ['festival'] },
  { source: festivalLineup, by: ['festival'] },
  { source: artistMomentum, by: ['artist'] },
];

/** Not in `reads`: a changed line-up marks its festival dirty and need not mark its artist. */
const BOOKINGS: readonly Read[] = [{ source: festivalLineup, by: ['artist'] }];

/**
 * Festival dossiers, `festival:<id>`. They count emerging artists of the line-ups, so the festivals that booked an artist
 * are its dependents; artists have no document here.
 */
export const festivalProjection: Projection = {
  name: 'festival',
  version: 2,
  reads,
  keys: ['festival'],
  async project(keys, readRows, registry) {
    const rows = await readRows(reads, keys.filter(isFestival));
    const momentum = await readRows(
      reads,
      keys.flatMap((key) => artistsOf(key, rows)),
    );
    const bookings = await readRows(
      BOOKINGS,
      keys.filter((key) => !isFestival(key)),
    );
    return keys.map((key) =>
      isFestival(key)
        ? projectFestival(new FestivalRows(key, rows, momentum), registry)
        : { key, document: null, dependents: festivalsOf(key, bookings) },
    );
  },
};

const isFestival = (key: SubjectRef): boolean => splitRef(key).kind === 'festival';

const artistsOf = (key: SubjectRef, rows: MirrorRows): SubjectRef[] =>
  isFestival(key)
    ? rows.all(festivalLineup, key).map((row) => subjectRef('artist', row.artist_cluster_id))
    : [];

const festivalsOf = (artistRef: SubjectRef, bookings: MirrorRows): SubjectRef[] =>
  bookings.all(festivalLineup, artistRef).map((row) => subjectRef('festival', row.festival_id));

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
