import { dossierDocument } from '../dossier.ts';
import {
  type Address,
  type Projected,
  type Projection,
  type Read,
  type SourceRegistry,
  splitRef,
  subjectRef,
} from '../projection.ts';
import type { MirrorRows, SubjectRef } from '../rows.ts';
import type { Row } from '../sources/contract.ts';
import { artistMomentum } from '../sources/seen/artist-momentum.ts';
import { festival } from '../sources/seen/festival.ts';
import { festivalEdition } from '../sources/seen/festival-edition.ts';
import { festivalLineup } from '../sources/seen/festival-lineup.ts';
import { buildFestival } from './dossier.ts';
import { FestivalRows } from './festival-rows.ts';

const reads: readonly Read[] = [
  { source: festival, by: ['festival'] },
  { source: festivalEdition, by: ['festival'] },
  { source: festivalLineup, by: ['festival'] },
  { source: artistMomentum, by: ['artist'] },
];

/** Beside `reads`: a changed line-up marks its festival, and need not mark its artist too. */
const BOOKINGS: readonly Read[] = [{ source: festivalLineup, by: ['artist'] }];

/**
 * The festival dossier, `festival:<id>`. It counts the artists of its line-ups who emerge, so a marked artist, who
 * has no document here, touches the festivals that have booked it.
 */
export const festivalProjection: Projection = {
  name: 'festival',
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
        ? projectFestival(key, rows, momentum, registry)
        : { key, document: null, touches: festivalsOf(key, bookings) },
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

function projectFestival(
  key: SubjectRef,
  rows: MirrorRows,
  momentum: MirrorRows,
  registry: SourceRegistry,
): Projected {
  const row = rows.one(festival, key);
  if (row === null) return { key, document: null, touches: [] };
  const dossier = buildFestival(new FestivalRows(key, rows, momentum), row.slug.toLowerCase());
  return { key, document: dossierDocument(dossier, addressesOf(row), registry), touches: [] };
}

/** A merged slug belongs to the survivor, even while the festival that was merged into it is still on file (see `bySurvivor`). */
const addressesOf = (row: Row<typeof festival>): Address[] => [
  ...row.merged_slugs.map(claim(0)),
  claim(1)(row.slug),
  ...row.aliases.map(claim(2)),
];

const claim = (rank: number) => {
  return (name: string): Address => ({ address: name.toLowerCase(), rank, support: 0 });
};
