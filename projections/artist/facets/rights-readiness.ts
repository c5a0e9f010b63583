import { type Static, Type } from '@sinclair/typebox';
import { fedBy } from '../../facet.ts';
import { ledgerRightsByCluster } from '../../sources/ledger/rights-by-cluster.ts';
import { mbArtistRightsRollup } from '../../sources/mb/artist-rights-rollup.ts';
import { artistScRightsRollupV1 } from '../../sources/seen/artist-sc-rights-rollup-v1.ts';
import { orNull } from '../../values.ts';
import { type ArtistRows, defineArtistFacet } from '../facet.ts';

const CatalogRights = Type.Object(
  {
    distinctRecordings: Type.Number({ description: 'Recordings of the artist.' }),
    recordingsWithIsrc: Type.Number({ description: 'Recordings of the artist that carry an ISRC.' }),
    distinctIsrcs: Type.Number({ description: 'ISRCs on recordings of the artist.' }),
    distinctWorks: Type.Number({ description: 'Works that the artist recorded.' }),
    worksWithIswc: Type.Number({ description: 'Works that the artist recorded, with a registered ISWC.' }),
  },
  { description: 'What the open metadata database knows; null where it does not know the artist.' },
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
  { description: 'What the rights ledger knows; null where it does not know the artist.' },
);

const AudioshareRights = Type.Object(
  {
    tracksWithIsrc: Type.Number({ description: 'Tracks that carry an ISRC.' }),
    tracksBoundToWork: Type.Number({ description: 'Tracks bound to a work of the ledger.' }),
    tracksWorkHasIswc: Type.Number({ description: 'Tracks whose work has a registered ISWC.' }),
  },
  { description: 'What the audio-sharing site knows; null where it does not know the artist.' },
);

export const rightsReadiness = defineArtistFacet({
  name: 'rights_readiness',
  sources: [mbArtistRightsRollup, ledgerRightsByCluster, artistScRightsRollupV1],
  description:
    'How much of the repertoire carries the codes that rights are paid by; counts only, never a code.',
  signals: Type.Object({
    catalog: orNull(CatalogRights),
    ledger: fedBy(ledgerRightsByCluster, orNull(LedgerRights)),
    audioshare: fedBy(artistScRightsRollupV1, orNull(AudioshareRights)),
  }),
  read(rows) {
    const catalog = catalogRights(rows);
    const ledger = ledgerRights(rows);
    const audioshare = audioshareRights(rows);
    // No row says only that none of the three looked at the artist, not that nothing is registered.
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
