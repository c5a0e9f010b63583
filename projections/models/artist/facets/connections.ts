import { Type } from '@sinclair/typebox';
import { artistCoEvent } from '../../../contracts/seen/artist-co-event.ts';
import { ascending, descending, sorted } from '../../../engine/order.ts';
import { orNull } from '../../../engine/values.ts';
import { defineArtistFacet } from '../facet.ts';

const LIMIT = 24;

export const connections = defineArtistFacet({
  name: 'connections',
  sources: [artistCoEvent],
  description: 'Artists who played the same events, the strongest ties first.',
  signals: Type.Object({
    count: Type.Number({
      description: 'All artists met, including those beyond the list.',
    }),
    related: Type.Array(
      Type.Object(
        {
          clusterId: orNull(
            Type.String({
              description: 'Cluster id of the other artist, 64 hex digits; null where unknown.',
            }),
          ),
          catalogArtistId: orNull(
            Type.Integer({ description: 'Catalogue id of the other artist; null where unknown.' }),
          ),
          mbid: orNull(
            Type.String({
              description:
                'Id of the other artist in the open metadata database, a UUID; null where unknown.',
            }),
          ),
          name: Type.String({ description: 'Name of the other artist.' }),
          slug: Type.String({ description: 'Slug of the other artist.' }),
          coEventCount: Type.Integer({ description: 'Events that both played.' }),
          coVenueCount: Type.Integer({ description: 'Venues of those events.' }),
          lastCoAt: orNull(
            Type.String({
              format: 'date',
              description: 'Day of the latest event that both played; null where none is dated.',
            }),
          ),
        },
        { description: 'One artist met at events.' },
      ),
      { maxItems: LIMIT, description: 'The artists met, the strongest ties first.' },
    ),
  }),
  read(rows) {
    const others = sorted(
      rows.all(artistCoEvent),
      descending((other) => other.co_event_count),
      descending((other) => other.co_venue_count),
      ascending((other) => other.other_name),
    );
    if (others.length === 0) return null;
    return {
      count: others.length,
      related: others.slice(0, LIMIT).map((other) => ({
        clusterId: other.other_cluster_id,
        catalogArtistId: other.other_catalog_artist_id,
        mbid: other.other_mbid,
        name: other.other_name,
        slug: other.other_slug,
        coEventCount: other.co_event_count,
        coVenueCount: other.co_venue_count,
        lastCoAt: other.last_co_at,
      })),
    };
  },
});
