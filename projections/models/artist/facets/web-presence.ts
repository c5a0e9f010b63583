import { Type } from '@sinclair/typebox';
import { clusterAuthorityIdsV1 } from '../../../contracts/mirror/cluster-authority-ids-v1.ts';
import { artistWebPresence } from '../../../contracts/seen/artist-web-presence.ts';
import { fromSource } from '../../../engine/facet.ts';
import { ascending, descending, sorted } from '../../../engine/order.ts';
import { orNull } from '../../../engine/values.ts';
import { linkUrl } from '../../shared/web-url.ts';
import { type ArtistRows, defineArtistFacet } from '../facet.ts';

const link = (site: string) =>
  orNull(Type.String({ description: `URL of the artist on ${site}; null where unknown.` }));

const authoritative = (site: string) =>
  fromSource(
    clusterAuthorityIdsV1,
    orNull(
      Type.String({
        description: `URL of the artist on ${site}, verified by an authority, else as declared; null where unknown.`,
      }),
    ),
  );

export const webPresence = defineArtistFacet({
  name: 'web_presence',
  sources: [artistWebPresence, clusterAuthorityIdsV1],
  description: "The artist's own pages and event listing.",
  signals: Type.Object({
    storefrontUrl: link('the storefront'),
    audioshareUrl: link('the audio-sharing site'),
    photoshareUrl: link('the photo-sharing site'),
    websiteUrl: link('a website of their own'),
    streamingUrl: authoritative('the streaming site'),
    videoshareUrl: authoritative('the video-sharing site'),
    listingStatus: orNull(
      Type.String({ description: 'Status of the artist in an event listing; null where unknown.' }),
    ),
    country: orNull(
      Type.String({ description: 'Country of the artist, ISO 3166 alpha-2; null where unknown.' }),
    ),
    firstEventAt: orNull(
      Type.String({ format: 'date', description: 'Day of the first listed event; null where unknown.' }),
    ),
    catalogArtistIdClaimed: orNull(
      Type.Number({
        description: 'Catalogue artist id as the artist declares it, not verified; null where undeclared.',
      }),
    ),
    followerCount: orNull(Type.Number({ description: 'Followers of the artist; null where unknown.' })),
  }),
  read(rows) {
    const row = rows.one(artistWebPresence);
    const streaming = authorityUrl(rows, 'streaming');
    const videoshare = authorityUrl(rows, 'videoshare');
    if (row === null && streaming === null && videoshare === null) return null;
    return {
      storefrontUrl: linkUrl(row?.storefront_url ?? null),
      audioshareUrl: linkUrl(row?.audioshare_url ?? null),
      photoshareUrl: linkUrl(row?.photoshare_url ?? null),
      websiteUrl: linkUrl(row?.website_url ?? null),
      streamingUrl: streaming ?? linkUrl(row?.streaming_url ?? null),
      videoshareUrl: videoshare ?? linkUrl(row?.videoshare_url ?? null),
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
    .filter((id) => id.scheme === scheme && id.verified && linkUrl(id.url) !== null);
  const [best] = sorted(
    verified,
    descending((id) => id.confidence),
    ascending((id) => id.value),
  );
  return best?.url ?? null;
}
