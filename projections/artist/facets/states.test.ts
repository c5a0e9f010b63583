import { FormatRegistry } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { describe, expect, it } from 'vitest';
import { closed } from '../../../test/closed-schema.ts';
import { artistRows, bound, clusterOnly, unbound } from '../../../test/rows/artist.ts';
import { rowsOf, type SourceRows } from '../../../test/rows/source-rows.ts';
import type { Facet, FacetValue } from '../../facet.ts';
import { artistPressMentions } from '../../sources/archive/artist-press-mentions.ts';
import { catalogArtist } from '../../sources/catalog/artist.ts';
import { catalogArtistBehavior } from '../../sources/catalog/artist-behavior.ts';
import { catalogArtistTravelsWith } from '../../sources/catalog/artist-travels-with.ts';
import { catalogMarketplaceWeekly } from '../../sources/catalog/marketplace-weekly.ts';
import { catalogMaster } from '../../sources/catalog/master.ts';
import { editorialArtistAttention } from '../../sources/editorial/artist-attention.ts';
import { editorialWebLink } from '../../sources/editorial/web-link.ts';
import { sources } from '../../sources/index.ts';
import { ledgerRightsByCluster } from '../../sources/ledger/rights-by-cluster.ts';
import { mbArtistRightsRollup } from '../../sources/mb/artist-rights-rollup.ts';
import { mbArtistWork } from '../../sources/mb/artist-work.ts';
import { mbReleaseGroup } from '../../sources/mb/release-group.ts';
import { clusterAliasV1 } from '../../sources/mirror/cluster-alias-v1.ts';
import { clusterAuthorityIdsV1 } from '../../sources/mirror/cluster-authority-ids-v1.ts';
import { wantlistDemandByClusterV1 } from '../../sources/mirror/wantlist-demand-by-cluster-v1.ts';
import { artistAirplayFirstAppearance } from '../../sources/seen/artist-airplay-first-appearance.ts';
import { artistBrokerage } from '../../sources/seen/artist-brokerage.ts';
import { artistCoEvent } from '../../sources/seen/artist-co-event.ts';
import { artistDatedAppearance } from '../../sources/seen/artist-dated-appearance.ts';
import { artistEmergenceLeadTime } from '../../sources/seen/artist-emergence-lead-time.ts';
import { artistMomentum } from '../../sources/seen/artist-momentum.ts';
import { artistNetworkPosition } from '../../sources/seen/artist-network-position.ts';
import { artistScRightsRollupV1 } from '../../sources/seen/artist-sc-rights-rollup-v1.ts';
import { artistTierPresence } from '../../sources/seen/artist-tier-presence.ts';
import { artistWebPresence } from '../../sources/seen/artist-web-presence.ts';
import { liveDemand } from '../../sources/seen/live-demand.ts';
import { performingEntity } from '../../sources/seen/performing-entity.ts';
import { storefrontArtistGravity } from '../../sources/seen/storefront-artist-gravity.ts';
import { storefrontArtistTastemakerQuality } from '../../sources/seen/storefront-artist-tastemaker-quality.ts';
import { spineArtistNamePublishedView } from '../../sources/spine/spine-artist-name-published-view.ts';
import { storefrontArtistEmergence } from '../../sources/storefront/artist-emergence.ts';
import { storefrontItem } from '../../sources/storefront/item.ts';
import type { ArtistRows, ArtistSubject } from '../facet.ts';
import { facets } from './index.ts';

FormatRegistry.Set('date', (text) => /^\d{4}-\d\d-\d\d$/.test(text));
FormatRegistry.Set('date-time', (text) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text));

/** Rows that make a facet present, who then has it, and who has no key for it. */
interface Speaking {
  readonly rows: readonly SourceRows[];
  readonly present: readonly ArtistSubject[];
  readonly gap: readonly ArtistSubject[];
  /** What a source says that delivers but has no row; `empty` unless told. */
  readonly withoutRow?: 'honest_gap';
}

const byCluster = (...rows: SourceRows[]): Speaking => ({
  rows,
  present: [bound, clusterOnly],
  gap: [unbound],
});
const byCatalog = (...rows: SourceRows[]): Speaking => ({
  rows,
  present: [bound, unbound],
  gap: [clusterOnly],
});

const cases: Readonly<Record<string, readonly Speaking[]>> = {
  identity: [
    {
      rows: [rowsOf(catalogArtist, {})],
      present: [bound, unbound],
      gap: [clusterOnly],
    },
    {
      rows: [rowsOf(performingEntity, {})],
      present: [clusterOnly],
      gap: [bound, unbound],
    },
    {
      rows: [rowsOf(spineArtistNamePublishedView, {})],
      present: [clusterOnly],
      gap: [bound, unbound],
    },
    {
      rows: [rowsOf(clusterAliasV1, {})],
      present: [clusterOnly],
      gap: [bound, unbound],
    },
  ],
  behavioral: [
    byCatalog(rowsOf(catalogArtistBehavior, {})),
    byCatalog(rowsOf(catalogArtistTravelsWith, {})),
    {
      rows: [rowsOf(wantlistDemandByClusterV1, {})],
      present: [clusterOnly],
      gap: [bound, unbound],
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
      present: [clusterOnly],
      gap: [bound, unbound],
    },
  ],
  discography: [{ rows: [rowsOf(catalogMaster, {})], present: [bound, unbound], gap: [] }],
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

it('feeds every facet from sources that the service accepts', () => {
  for (const facet of facets) expect(sources).toEqual(expect.arrayContaining([...facet.sources]));
});

describe.each(facets)('$name', (facet) => {
  const speakings = cases[facet.name] ?? [];

  it('is present in each lane that has the key', () => {
    for (const { rows, present } of speakings) {
      for (const subject of present) expectState(facet, facet.build(artistRows(subject, ...rows)), 'present');
    }
  });

  it('is a gap where the lane has no key', () => {
    for (const { rows, gap } of speakings) {
      for (const subject of gap) expectState(facet, facet.build(artistRows(subject, ...rows)), 'honest_gap');
    }
  });

  it('says so where a source delivers, but nothing on this artist', () => {
    for (const { rows, present, withoutRow } of speakings) {
      const delivered = rows.map(({ source }) => rowsOf(source));
      for (const subject of present) {
        expectState(facet, facet.build(artistRows(subject, ...delivered)), withoutRow ?? 'empty');
      }
    }
  });

  it('is a gap where no source has ever delivered', () => {
    for (const subject of [bound, unbound, clusterOnly]) {
      expectState(facet, facet.build(artistRows(subject)), 'honest_gap');
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
