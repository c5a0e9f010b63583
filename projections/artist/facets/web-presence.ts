import { Type } from '@sinclair/typebox';
import { ascending, descending, sorted } from '../../order.ts';
import { clusterAuthorityIdsV1 } from '../../sources/mirror/cluster-authority-ids-v1.ts';
import { artistWebPresence } from '../../sources/seen/artist-web-presence.ts';
import { orNull } from '../../values.ts';
import { type ArtistRows, defineArtistFacet } from '../facet.ts';

const Link = orNull(Type.String());
const Authoritative = orNull(
  Type.String({
    description: 'As an authority verified it; else as the artist declares it.',
  }),
);

export const webPresence = defineArtistFacet({
  name: 'web_presence',
  sources: [artistWebPresence, clusterAuthorityIdsV1],
  description: "The artist's own pages and event listing.",
  signals: Type.Object({
    storefrontUrl: Link,
    audioshareUrl: Link,
    photoshareUrl: Link,
    websiteUrl: Link,
    streamingUrl: Authoritative,
    videoshareUrl: Authoritative,
    listingStatus: orNull(Type.String()),
    country: orNull(Type.String()),
    firstEventAt: orNull(Type.String({ format: 'date' })),
    catalogArtistIdClaimed: orNull(Type.Number({ description: 'As the artist declares it; not verified.' })),
    followerCount: orNull(Type.Number()),
  }),
  read(rows) {
    const row = rows.one(artistWebPresence);
    const streaming = authorityUrl(rows, 'streaming');
    const videoshare = authorityUrl(rows, 'videoshare');
    if (row === null && streaming === null && videoshare === null) return null;
    return {
      storefrontUrl: row?.storefront_url ?? null,
      audioshareUrl: row?.audioshare_url ?? null,
      photoshareUrl: row?.photoshare_url ?? null,
      websiteUrl: row?.website_url ?? null,
      streamingUrl: streaming ?? row?.streaming_url ?? null,
      videoshareUrl: videoshare ?? row?.videoshare_url ?? null,
      listingStatus: row?.listing_status ?? null,
      country: row?.country ?? null,
      firstEventAt: row?.first_event_at ?? null,
      catalogArtistIdClaimed: row?.catalog_artist_id_claimed ?? null,
      followerCount: row?.follower_count ?? null,
    };
  },
});

function authorityUrl(rows: ArtistRows, scheme: 'streaming' | 'videoshare'): string | null {
  const verified = rows
    .all(clusterAuthorityIdsV1)
    .filter((id) => id.scheme === scheme && id.verified && id.url !== null);
  const [surest] = sorted(
    verified,
    descending((id) => id.confidence),
    ascending((id) => id.value),
  );
  return surest?.url ?? null;
}
