import { type Static, Type } from '@sinclair/typebox';
import { ledgerRightsByCluster } from '../../../contracts/ledger/rights-by-cluster.ts';
import { mbArtistRightsRollup } from '../../../contracts/mb/artist-rights-rollup.ts';
import { artistScRightsRollupV1 } from '../../../contracts/seen/artist-sc-rights-rollup-v1.ts';
import { fromSource } from '../../../engine/facet.ts';
import { orNull } from '../../../engine/values.ts';
import { type ArtistRows, defineArtistFacet } from '../facet.ts';

const CatalogRights = Type.Object(
  {
    distinctRecordings: Type.Number({ description: 'Recordings of the artist.' }),
    recordingsWithIsrc: Type.Number({ description: 'Recordings of the artist that carry an ISRC.' }),
    distinctIsrcs: Type.Number({ description: 'ISRCs on recordings of the artist.' }),
    distinctWorks: Type.Number({ description: 'Works that the artist recorded.' }),
    worksWithIswc: Type.Number({ description: 'Works that the artist recorded, with a registered ISWC.' }),
  },
  { description: 'Counts of the open metadata database; null if it does not have the artist.' },
);

const LedgerRights = Type.Object(
  {
    registeredWorks: Type.Number({ description: 'Works registered for the artist.' }),
    worksWithIswc: Type.Number({ description: 'Works registered for the artist, with a registered ISWC.' }),
    distinctCowriters: Type.Number({ description: 'Writers who share works with the artist.' }),
    cowritersWithMbid: Type.Number({
      description: 'Writers who share works with the artist and have an id in the open metadata database.',
    }),
  },
  { description: 'Counts of the rights ledger; null if it does not have the artist.' },
);

const AudioshareRights = Type.Object(
  {
    tracksWithIsrc: Type.Number({ description: 'Tracks that carry an ISRC.' }),
    tracksBoundToWork: Type.Number({ description: 'Tracks bound to a work of the ledger.' }),
    tracksWorkHasIswc: Type.Number({ description: 'Tracks whose work has a registered ISWC.' }),
  },
  { description: 'Counts of the audio-sharing site; null if it does not have the artist.' },
);

export const rightsReadiness = defineArtistFacet({
  name: 'rights_readiness',
  sources: [mbArtistRightsRollup, ledgerRightsByCluster, artistScRightsRollupV1],
  description:
    'How much of the repertoire has the codes that rights payments need; counts only, never a code.',
  signals: Type.Object({
    catalog: fromSource(mbArtistRightsRollup, orNull(CatalogRights)),
    ledger: fromSource(ledgerRightsByCluster, orNull(LedgerRights)),
    audioshare: fromSource(artistScRightsRollupV1, orNull(AudioshareRights)),
  }),
  read(rows) {
    const catalog = catalogRights(rows);
    const ledger = ledgerRights(rows);
    const audioshare = audioshareRights(rows);
    // Without rows the artist is unobserved, which does not mean that nothing is registered.
    if (catalog === null && ledger === null && audioshare === null) return 'honest_gap';
    return { catalog, ledger, audioshare };
  },
});

function catalogRights(rows: ArtistRows): Static<typeof CatalogRights> | null {
  const row = rows.one(mbArtistRightsRollup);
  return (
    row && {
      distinctRecordings: row.distinct_recordings,
      recordingsWithIsrc: row.recordings_with_isrc,
      distinctIsrcs: row.distinct_isrcs,
      distinctWorks: row.distinct_works,
      worksWithIswc: row.works_with_iswc,
    }
  );
}

function ledgerRights(rows: ArtistRows): Static<typeof LedgerRights> | null {
  const row = rows.one(ledgerRightsByCluster);
  return (
    row && {
      registeredWorks: row.registered_works,
      worksWithIswc: row.works_with_iswc,
      distinctCowriters: row.distinct_cowriters,
      cowritersWithMbid: row.cowriters_with_mbid,
    }
  );
}

function audioshareRights(rows: ArtistRows): Static<typeof AudioshareRights> | null {
  const row = rows.one(artistScRightsRollupV1);
  return (
    row && {
      tracksWithIsrc: row.tracks_with_isrc,
      tracksBoundToWork: row.tracks_bound_to_work,
      tracksWorkHasIswc: row.tracks_work_has_iswc,
    }
  );
}
