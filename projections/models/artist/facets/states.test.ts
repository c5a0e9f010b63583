import { FormatRegistry } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { describe, expect, it } from 'vitest';
import { closed } from '../../../../test/support/http/closed-schema.ts';
import {
  artistFacetRows,
  boundArtist,
  clusterOnlyArtist,
  unboundArtist,
} from '../../../../test/support/rows/artist.ts';
import { rowsOf, type SourceRows } from '../../../../test/support/rows/source-rows.ts';
import { artistPressMentions } from '../../../contracts/archive/artist-press-mentions.ts';
import { catalogArtist } from '../../../contracts/catalog/artist.ts';
import { catalogArtistBehavior } from '../../../contracts/catalog/artist-behavior.ts';
import { catalogArtistTravelsWith } from '../../../contracts/catalog/artist-travels-with.ts';
import { catalogMarketplaceWeekly } from '../../../contracts/catalog/marketplace-weekly.ts';
import { catalogMaster } from '../../../contracts/catalog/master.ts';
import { editorialArtistAttention } from '../../../contracts/editorial/artist-attention.ts';
import { editorialWebLink } from '../../../contracts/editorial/web-link.ts';
import { sources } from '../../../contracts/index.ts';
import { ledgerRightsByCluster } from '../../../contracts/ledger/rights-by-cluster.ts';
import { mbArtistRightsRollup } from '../../../contracts/mb/artist-rights-rollup.ts';
import { mbArtistWork } from '../../../contracts/mb/artist-work.ts';
import { mbReleaseGroup } from '../../../contracts/mb/release-group.ts';
import { clusterAliasV1 } from '../../../contracts/mirror/cluster-alias-v1.ts';
import { clusterAuthorityIdsV1 } from '../../../contracts/mirror/cluster-authority-ids-v1.ts';
import { wantlistDemandByClusterV1 } from '../../../contracts/mirror/wantlist-demand-by-cluster-v1.ts';
import { artistAirplayFirstAppearance } from '../../../contracts/seen/artist-airplay-first-appearance.ts';
import { artistBrokerage } from '../../../contracts/seen/artist-brokerage.ts';
import { artistCoEvent } from '../../../contracts/seen/artist-co-event.ts';
import { artistDatedAppearance } from '../../../contracts/seen/artist-dated-appearance.ts';
import { artistEmergenceLeadTime } from '../../../contracts/seen/artist-emergence-lead-time.ts';
import { artistMomentum } from '../../../contracts/seen/artist-momentum.ts';
import { artistNetworkPosition } from '../../../contracts/seen/artist-network-position.ts';
import { artistScRightsRollupV1 } from '../../../contracts/seen/artist-sc-rights-rollup-v1.ts';
import { artistTierPresence } from '../../../contracts/seen/artist-tier-presence.ts';
import { artistWebPresence } from '../../../contracts/seen/artist-web-presence.ts';
import { liveDemand } from '../../../contracts/seen/live-demand.ts';
import { performingEntity } from '../../../contracts/seen/performing-entity.ts';
import { storefrontArtistGravity } from '../../../contracts/seen/storefront-artist-gravity.ts';
import { storefrontArtistTastemakerQuality } from '../../../contracts/seen/storefront-artist-tastemaker-quality.ts';
import { spineArtistNamePublishedView } from '../../../contracts/spine/spine-artist-name-published-view.ts';
import { storefrontArtistEmergence } from '../../../contracts/storefront/artist-emergence.ts';
import { storefrontItem } from '../../../contracts/storefront/item.ts';
import type { Facet, FacetValue } from '../../../engine/facet.ts';
import type { ArtistRows, ArtistSubject } from '../facet.ts';
import { facets } from './index.ts';

FormatRegistry.Set('date', (text) => /^\d{4}-\d\d-\d\d$/.test(text));
FormatRegistry.Set('date-time', (text) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text));

/** Rows that make a facet present, the subject that has it then, and a subject without a key for it. */
interface Speaking {
  readonly rows: readonly SourceRows[];
  readonly present: readonly ArtistSubject[];
  readonly gap: readonly ArtistSubject[];
  /** State of a source that delivers but has no row; default `empty`. */
  readonly withoutRow?: 'honest_gap';
}

const byCluster = (...rows: SourceRows[]): Speaking => ({
  rows,
  present: [boundArtist, clusterOnlyArtist],
  gap: [unboundArtist],
});
const byCatalog = (...rows: SourceRows[]): Speaking => ({
  rows,
  present: [boundArtist, unboundArtist],
  gap: [clusterOnlyArtist],
});

const cases: Readonly<Record<string, readonly Speaking[]>> = {
  identity: [
    {
      rows: [rowsOf(catalogArtist, {})],
      present: [boundArtist, unboundArtist],
      gap: [clusterOnlyArtist],
    },
    {
      rows: [rowsOf(performingEntity, {})],
      present: [clusterOnlyArtist],
      gap: [boundArtist, unboundArtist],
    },
    {
      rows: [rowsOf(spineArtistNamePublishedView, {})],
      present: [clusterOnlyArtist],
      gap: [boundArtist, unboundArtist],
    },
    {
      rows: [rowsOf(clusterAliasV1, {})],
      present: [clusterOnlyArtist],
      gap: [boundArtist, unboundArtist],
    },
  ],
  behavioral: [
    byCatalog(rowsOf(catalogArtistBehavior, {})),
    byCatalog(rowsOf(catalogArtistTravelsWith, {})),
    {
      rows: [rowsOf(wantlistDemandByClusterV1, {})],
      present: [clusterOnlyArtist],
      gap: [boundArtist, unboundArtist],
    },
  ],
  across_the_web: [byCluster(rowsOf(editorialWebLink, {}))],
  journalism: [byCluster(rowsOf(artistPressMentions, {}))],
  citedMentions: [byCluster(rowsOf(artistPressMentions, {}))],
  connections: [byCluster(rowsOf(artistCoEvent, {}))],
  emergence: [byCluster(rowsOf(artistMomentum, {}))],
  breakout: [byCluster(rowsOf(artistMomentum, { emergence_tier: 'breakout' }))],
  compositions: [byCluster(rowsOf(mbArtistWork, {}))],
  tier_presence: [byCluster(rowsOf(artistTierPresence, {}))],
  live_demand: [byCluster(rowsOf(liveDemand, {}))],
  network_position: [byCluster(rowsOf(artistNetworkPosition, {}))],
  brokerage: [byCluster(rowsOf(artistBrokerage, {}))],
  lead_time: [byCluster(rowsOf(artistEmergenceLeadTime, { press_to_airplay_days: 1 }))],
  airplay_breadth: [byCluster(rowsOf(artistAirplayFirstAppearance, {}))],
  storefront_tastemaker: [byCluster(rowsOf(storefrontArtistTastemakerQuality, {}))],
  early_demand: [byCluster(rowsOf(storefrontArtistGravity, {}))],
  storefront_emergence: [byCluster(rowsOf(storefrontArtistEmergence, {}))],
  artwork: [
    byCluster(rowsOf(storefrontItem, { artwork_url: 'https://shop.test/1.jpg' })),
    byCatalog(rowsOf(mbReleaseGroup, {})),
  ],
  dated_appearance: [byCluster(rowsOf(artistDatedAppearance, {}))],
  editorial_attention: [byCluster(rowsOf(editorialArtistAttention, {}))],
  web_presence: [
    byCluster(rowsOf(artistWebPresence, {})),
    byCluster(
      rowsOf(clusterAuthorityIdsV1, {
        scheme: 'videoshare',
        url: 'https://video.test/1',
        verified: true,
      }),
    ),
  ],
  storefront_releases: [
    {
      rows: [rowsOf(storefrontItem, {})],
      present: [clusterOnlyArtist],
      gap: [boundArtist, unboundArtist],
    },
  ],
  discography: [{ rows: [rowsOf(catalogMaster, {})], present: [boundArtist, unboundArtist], gap: [] }],
  rights_readiness: [
    {
      ...byCatalog(rowsOf(mbArtistRightsRollup, {})),
      withoutRow: 'honest_gap',
    },
    {
      ...byCluster(rowsOf(ledgerRightsByCluster, {})),
      withoutRow: 'honest_gap',
    },
    {
      ...byCluster(rowsOf(artistScRightsRollupV1, {})),
      withoutRow: 'honest_gap',
    },
  ],
  marketplace_supply: [
    {
      ...byCatalog(rowsOf(catalogMarketplaceWeekly, {})),
      withoutRow: 'honest_gap',
    },
  ],
  debut_anchor: [
    byCatalog(
      rowsOf(mbReleaseGroup, {
        is_exact_bind: true,
        first_release_date: '1999',
      }),
    ),
  ],
};

it('knows every facet, in the order of the dossier', () => {
  expect(facets.map((facet) => facet.name)).toEqual(Object.keys(cases));
});

it('builds every facet from accepted sources', () => {
  for (const facet of facets) expect(sources).toEqual(expect.arrayContaining([...facet.sources]));
});

describe.each(facets)('$name', (facet) => {
  const speakings = cases[facet.name] ?? [];

  it('is present in each lane that has the key', () => {
    for (const { rows, present } of speakings) {
      for (const subject of present)
        expectState(facet, facet.build(artistFacetRows(subject, ...rows)), 'present');
    }
  });

  it('is a gap if the lane has no key', () => {
    for (const { rows, gap } of speakings) {
      for (const subject of gap)
        expectState(facet, facet.build(artistFacetRows(subject, ...rows)), 'honest_gap');
    }
  });

  it('is empty if a source delivers, but nothing about this artist', () => {
    for (const { rows, present, withoutRow } of speakings) {
      const delivered = rows.map(({ source }) => rowsOf(source));
      for (const subject of present) {
        expectState(facet, facet.build(artistFacetRows(subject, ...delivered)), withoutRow ?? 'empty');
      }
    }
  });

  it('is a gap if no source has ever delivered', () => {
    for (const subject of [boundArtist, unboundArtist, clusterOnlyArtist]) {
      expectState(facet, facet.build(artistFacetRows(subject)), 'honest_gap');
    }
  });
});

function expectState(facet: Facet<ArtistRows>, built: FacetValue, state: FacetValue['state']): void {
  expect(built.state).toBe(state);
  expect([...Value.Errors(closed(facet.schema), built.value)]).toEqual([]);
  if (facet.name === 'identity') expect(built.value === null).toBe(state !== 'present');
  else if (facet.name === 'citedMentions') expect(built.value).toHaveLength(state === 'present' ? 1 : 0);
  else expectWrapper(facet, built.value, state);
}

function expectWrapper(facet: Facet<ArtistRows>, value: unknown, state: FacetValue['state']): void {
  const member = facet.name === 'breakout' ? 'signal' : 'signals';
  expect(value).toEqual({
    state,
    [member]: state === 'present' ? expect.any(Object) : null,
  });
}
