import { artistMentionDaily } from './archive/artist-mention-daily.ts';
import { artistPressMentions } from './archive/artist-press-mentions.ts';
import { catalogArtist } from './catalog/artist.ts';
import { catalogArtistBehavior } from './catalog/artist-behavior.ts';
import { catalogArtistTravelsWith } from './catalog/artist-travels-with.ts';
import { catalogLabel } from './catalog/label.ts';
import { catalogLabelBehavior } from './catalog/label-behavior.ts';
import { catalogLabelCoOwnership } from './catalog/label-co-ownership.ts';
import { catalogMarketplaceWeekly } from './catalog/marketplace-weekly.ts';
import { catalogMaster } from './catalog/master.ts';
import { catalogMasterCube } from './catalog/master-cube.ts';
import { indexByTable, type Source } from './contract.ts';
import { editorialArtistAttention } from './editorial/artist-attention.ts';
import { editorialWebLink } from './editorial/web-link.ts';
import { clusterArrivalLedgerV1 } from './fleet/cluster-arrival-ledger-v1.ts';
import { clusterArrivalWideV1 } from './fleet/cluster-arrival-wide-v1.ts';
import { clusterBreakEventV1 } from './fleet/cluster-break-event-v1.ts';
import { ledgerRightsByCluster } from './ledger/rights-by-cluster.ts';
import { mbArtistRightsRollup } from './mb/artist-rights-rollup.ts';
import { mbArtistWork } from './mb/artist-work.ts';
import { mbRecording } from './mb/recording.ts';
import { mbReleaseGroup } from './mb/release-group.ts';
import { clusterAliasV1 } from './mirror/cluster-alias-v1.ts';
import { clusterAuthorityIdsV1 } from './mirror/cluster-authority-ids-v1.ts';
import { listenFlowByClusterV1 } from './mirror/listen-flow-by-cluster-v1.ts';
import { marketVsFlowDivergenceV1 } from './mirror/market-vs-flow-divergence-v1.ts';
import { wantlistDemandByClusterV1 } from './mirror/wantlist-demand-by-cluster-v1.ts';
import { pressingProvenanceDepthByClusterV1 } from './pressings/pressing-provenance-depth-by-cluster-v1.ts';
import { artistAirplayFirstAppearance } from './seen/artist-airplay-first-appearance.ts';
import { artistBrokerage } from './seen/artist-brokerage.ts';
import { artistCoEvent } from './seen/artist-co-event.ts';
import { artistCrossTierNetwork } from './seen/artist-cross-tier-network.ts';
import { artistDatedAppearance } from './seen/artist-dated-appearance.ts';
import { artistDjsetFirstAppearance } from './seen/artist-djset-first-appearance.ts';
import { artistDjsetScoutSignal } from './seen/artist-djset-scout-signal.ts';
import { artistDossier } from './seen/artist-dossier.ts';
import { artistEmergenceLeadTime } from './seen/artist-emergence-lead-time.ts';
import { artistEmergenceNarrativePublic } from './seen/artist-emergence-narrative-public.ts';
import { artistFestivalCoAppearance } from './seen/artist-festival-co-appearance.ts';
import { artistFestivalPedigree } from './seen/artist-festival-pedigree.ts';
import { artistIdentityBridge } from './seen/artist-identity-bridge.ts';
import { artistMomentum } from './seen/artist-momentum.ts';
import { artistNetworkPosition } from './seen/artist-network-position.ts';
import { artistPrimaryGeography } from './seen/artist-primary-geography.ts';
import { artistScRightsRollupV1 } from './seen/artist-sc-rights-rollup-v1.ts';
import { artistSignalKnownSince } from './seen/artist-signal-known-since.ts';
import { artistSignalPassport } from './seen/artist-signal-passport.ts';
import { artistTierPresence } from './seen/artist-tier-presence.ts';
import { artistWebPresence } from './seen/artist-web-presence.ts';
import { djChampion } from './seen/dj-champion.ts';
import { djTastemakerScore } from './seen/dj-tastemaker-score.ts';
import { festival } from './seen/festival.ts';
import { festivalEdition } from './seen/festival-edition.ts';
import { festivalLineup } from './seen/festival-lineup.ts';
import { labelDjsetMomentum } from './seen/label-djset-momentum.ts';
import { labelIdentityBridge } from './seen/label-identity-bridge.ts';
import { liveDemand } from './seen/live-demand.ts';
import { masterPropagationTimelineCluster } from './seen/master-propagation-timeline-cluster.ts';
import { performingEntity } from './seen/performing-entity.ts';
import { radarOnlyArtistsV1 } from './seen/radar-only-artists-v1.ts';
import { radioCoPlay } from './seen/radio-co-play.ts';
import { radioPlayV1 } from './seen/radio-play-v1.ts';
import { songStationJourney } from './seen/song-station-journey.ts';
import { storefrontArtistGravity } from './seen/storefront-artist-gravity.ts';
import { storefrontArtistTastemakerQuality } from './seen/storefront-artist-tastemaker-quality.ts';
import { spineArtistNamePublishedView } from './spine/spine-artist-name-published-view.ts';
import { spineArtistTemporalProfile } from './spine/spine-artist-temporal-profile.ts';
import { storefrontArtistEmergence } from './storefront/artist-emergence.ts';
import { storefrontItem } from './storefront/item.ts';
import { storefrontTrack } from './storefront/track.ts';
import { placementArrivalByClusterV1 } from './sync/placement-arrival-by-cluster-v1.ts';
import { placementClaimByClusterV1 } from './sync/placement-claim-by-cluster-v1.ts';

/** Every producer table that the service accepts. */
export const sources: readonly Source[] = [
  spineArtistTemporalProfile,
  radioPlayV1,
  djChampion,
  radioCoPlay,
  songStationJourney,
  wantlistDemandByClusterV1,
  masterPropagationTimelineCluster,
  djTastemakerScore,
  performingEntity,
  artistDossier,
  artistMomentum,
  artistNetworkPosition,
  artistTierPresence,
  artistFestivalCoAppearance,
  artistCrossTierNetwork,
  artistBrokerage,
  artistEmergenceNarrativePublic,
  artistAirplayFirstAppearance,
  artistDjsetFirstAppearance,
  artistEmergenceLeadTime,
  artistDatedAppearance,
  artistPrimaryGeography,
  artistIdentityBridge,
  liveDemand,
  storefrontArtistGravity,
  storefrontArtistTastemakerQuality,
  artistDjsetScoutSignal,
  labelDjsetMomentum,
  artistSignalPassport,
  artistScRightsRollupV1,
  artistMentionDaily,
  spineArtistNamePublishedView,
  artistPressMentions,
  artistSignalKnownSince,
  clusterAuthorityIdsV1,
  placementClaimByClusterV1,
  pressingProvenanceDepthByClusterV1,
  listenFlowByClusterV1,
  clusterAliasV1,
  clusterArrivalLedgerV1,
  radarOnlyArtistsV1,
  placementArrivalByClusterV1,
  clusterArrivalWideV1,
  marketVsFlowDivergenceV1,
  catalogArtist,
  catalogArtistBehavior,
  catalogArtistTravelsWith,
  catalogLabel,
  catalogLabelBehavior,
  labelIdentityBridge,
  catalogLabelCoOwnership,
  catalogMaster,
  catalogMasterCube,
  catalogMarketplaceWeekly,
  mbRecording,
  mbReleaseGroup,
  mbArtistWork,
  mbArtistRightsRollup,
  ledgerRightsByCluster,
  storefrontItem,
  storefrontTrack,
  storefrontArtistEmergence,
  editorialWebLink,
  editorialArtistAttention,
  artistCoEvent,
  artistWebPresence,
  artistFestivalPedigree,
  festival,
  festivalEdition,
  festivalLineup,
  clusterBreakEventV1,
];

export const sourceByTable: ReadonlyMap<string, Source> = indexByTable(sources);
