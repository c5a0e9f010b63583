import { type Static, Type } from '@sinclair/typebox';
import { ledgerRightsByCluster } from '../../sources/ledger/rights-by-cluster.ts';
import { mbArtistRightsRollup } from '../../sources/mb/artist-rights-rollup.ts';
import { artistScRightsRollupV1 } from '../../sources/seen/artist-sc-rights-rollup-v1.ts';
import { orNull } from '../../values.ts';
import { type ArtistRows, defineArtistFacet } from '../facet.ts';

const CatalogRights = Type.Object({
  distinctRecordings: Type.Number(),
  recordingsWithIsrc: Type.Number(),
  distinctIsrcs: Type.Number(),
  distinctWorks: Type.Number(),
  worksWithIswc: Type.Number(),
});

const LedgerRights = Type.Object({
  registeredWorks: Type.Number(),
  worksWithIswc: Type.Number(),
  distinctCowriters: Type.Number(),
  cowritersWithMbid: Type.Number(),
});

const AudioshareRights = Type.Object({
  tracksWithIsrc: Type.Number(),
  tracksBoundToWork: Type.Number(),
  tracksWorkHasIswc: Type.Number(),
});

export const rightsReadiness = defineArtistFacet({
  name: 'rights_readiness',
  sources: [mbArtistRightsRollup, ledgerRightsByCluster, artistScRightsRollupV1],
  description:
    'How much of the repertoire carries the codes that rights are paid by; counts only, never a code.',
  signals: Type.Object({
    catalog: orNull(CatalogRights),
    ledger: orNull(LedgerRights),
    audioshare: orNull(AudioshareRights),
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
