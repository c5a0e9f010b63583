import { type Static, Type } from '@sinclair/typebox';
import { orNull } from '../../engine/values.ts';
import { ArtistLink } from '../shared/links.ts';
import { MomentumTier } from '../tastemakers/rows.ts';

export const TIERS = ['breakout', 'rising'] as const;
export const CORROBORATIONS = ['corroborated', 'booking_ahead'] as const;

const Tier = Type.Union(
  TIERS.map((tier) => Type.Literal(tier)),
  { description: 'Tier of emergence.' },
);
const Corroboration = Type.Union(
  CORROBORATIONS.map((corroboration) => Type.Literal(corroboration)),
  { description: 'Whether bookings are corroborated by the press, or booking_ahead of it.' },
);

export const BreakoutItem = Type.Object(
  {
    clusterId: Type.String({ description: 'Cluster id, 64 hex digits.' }),
    name: Type.String({ description: 'Display name.' }),
    slug: orNull(Type.String({ description: 'Slug that leads to the artist; null if none does.' })),
    catalogArtistId: orNull(
      Type.Integer({ description: 'Catalogue artist id; null where none is bound to the artist.' }),
    ),
    resolvedVia: Type.Union([Type.Literal('catalog'), Type.Literal('cluster')], {
      description: 'Whether the artist is bound to the catalogue, or observed and unverified.',
    }),
    emergenceTier: Tier,
    momentumTier: MomentumTier,
    emergenceScore: Type.Number({ description: 'How strongly the artist emerges, more being stronger.' }),
    momentumScore: Type.Number({ description: 'How fast bookings grow, below zero where they fall.' }),
    eventsRecent: Type.Number({ description: 'Events played in the recent period.' }),
    corroboration: Corroboration,
    pressCount: Type.Number({ description: 'Distinct pages of the press about the artist.' }),
    _links: ArtistLink,
  },
  { description: 'One artist who breaks out by bookings, and whether the press corroborates it.' },
);
export type BreakoutItem = Static<typeof BreakoutItem>;
