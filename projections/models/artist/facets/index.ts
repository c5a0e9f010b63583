import type { Facet } from '../../../engine/facet.ts';
import type { ArtistRows } from '../facet.ts';
import { acrossTheWeb } from './across-the-web.ts';
import { airplayBreadth } from './airplay-breadth.ts';
import { artwork } from './artwork.ts';
import { behavioral } from './behavioral.ts';
import { breakout } from './breakout.ts';
import { brokerage } from './brokerage.ts';
import { citedMentions } from './cited-mentions.ts';
import { compositions } from './compositions.ts';
import { connections } from './connections.ts';
import { datedAppearance } from './dated-appearance.ts';
import { debutAnchor } from './debut-anchor.ts';
import { discography } from './discography.ts';
import { earlyDemand } from './early-demand.ts';
import { editorialAttention } from './editorial-attention.ts';
import { emergence } from './emergence.ts';
import { identity } from './identity.ts';
import { journalism } from './journalism.ts';
import { leadTime } from './lead-time.ts';
import { liveDemand } from './live-demand.ts';
import { marketplaceSupply } from './marketplace-supply.ts';
import { networkPosition } from './network-position.ts';
import { rightsReadiness } from './rights-readiness.ts';
import { storefrontEmergence } from './storefront-emergence.ts';
import { storefrontReleases } from './storefront-releases.ts';
import { storefrontTastemaker } from './storefront-tastemaker.ts';
import { tierPresence } from './tier-presence.ts';
import { webPresence } from './web-presence.ts';

/** All facets of the artist dossier, in the order they are served. */
export const facets: readonly Facet<ArtistRows>[] = [
  identity,
  behavioral,
  acrossTheWeb,
  journalism,
  citedMentions,
  connections,
  emergence,
  breakout,
  compositions,
  tierPresence,
  liveDemand,
  networkPosition,
  brokerage,
  leadTime,
  airplayBreadth,
  storefrontTastemaker,
  earlyDemand,
  storefrontEmergence,
  artwork,
  datedAppearance,
  editorialAttention,
  webPresence,
  storefrontReleases,
  discography,
  rightsReadiness,
  marketplaceSupply,
  debutAnchor,
];
