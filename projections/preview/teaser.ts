import { type Static, Type } from '@sinclair/typebox';
import { ArtistRows } from '../artist/facet.ts';
import { nameOf } from '../artist/facets/identity.ts';
import { artistSubject } from '../artist/lanes.ts';
import { ascending, descending, sorted } from '../order.ts';
import type { MirrorRows, SubjectRef } from '../rows.ts';
import { artistPressMentions } from '../sources/archive/artist-press-mentions.ts';
import { artistCoEvent } from '../sources/seen/artist-co-event.ts';
import { artistEmergenceNarrativePublic } from '../sources/seen/artist-emergence-narrative-public.ts';
import { artistMomentum } from '../sources/seen/artist-momentum.ts';
import { orNull } from '../values.ts';

const MOST_TRANSITIONS = 6;
const MOST_NAMES = 3;
/** Tier of whom no bookings are followed. */
export const UNTRACKED = 'untracked';

const Transition = Type.Object(
  {
    year: Type.Integer({ description: 'Year of the transition.' }),
    tier: Type.String({ description: 'Tier that the artist came into.' }),
    label: Type.String({ description: 'What led to it, in words.' }),
  },
  { description: 'One step of the career.' },
);

/** What anybody may know of an artist without a key: no economics, no provenance, and never more than the caps. */
export const Teaser = Type.Object({
  display: Type.String({ description: 'Display name; what was asked for where nobody was found.' }),
  cluster_id: orNull(
    Type.String({ description: 'Cluster id, 64 hex digits; null where none is bound to the artist.' }),
  ),
  resolved_via: orNull(
    Type.Union([Type.Literal('catalog'), Type.Literal('cluster')], {
      description: 'How the artist is known: catalog, verified, or cluster, observed; null for nobody.',
    }),
  ),
  emergence_tier: Type.String({
    description: `Tier of emergence: breakout, rising, climbing or steady; ${UNTRACKED} where none is known.`,
  }),
  arc: Type.Array(Transition, {
    maxItems: MOST_TRANSITIONS,
    description: 'The latest transitions between tiers, oldest first.',
  }),
  arc_truncated: Type.Boolean({ description: 'Whether there were transitions before those of arc.' }),
  booked_with: Type.Array(Type.String(), {
    maxItems: MOST_NAMES,
    description: 'Artists met at most events.',
  }),
  press_count: Type.Integer({ description: 'Distinct pages of the press about the artist.' }),
});
export type Teaser = Static<typeof Teaser>;

/** Null where no source names the artist. @param rows of the artist, in the catalogue lane with its cluster's */
export function teaserOf(key: SubjectRef, rows: MirrorRows): Teaser | null {
  const subject = artistSubject(key, rows);
  const about = new ArtistRows(subject, rows);
  const display = nameOf(about);
  if (display === null) return null;
  const transitions = sorted(
    about.all(artistEmergenceNarrativePublic),
    ascending(({ transition_at }) => transition_at),
  );
  const met = sorted(
    about.all(artistCoEvent),
    descending((other) => other.co_event_count),
    descending((other) => other.co_venue_count),
    ascending((other) => other.other_name),
  );
  return {
    display,
    cluster_id: subject.clusterId,
    resolved_via: subject.lane,
    emergence_tier: about.one(artistMomentum)?.emergence_tier ?? UNTRACKED,
    arc: transitions.slice(-MOST_TRANSITIONS).map(({ transition_at, tier, label }) => ({
      year: Number(transition_at.slice(0, 4)),
      tier,
      label,
    })),
    arc_truncated: transitions.length > MOST_TRANSITIONS,
    booked_with: met.slice(0, MOST_NAMES).map(({ other_name }) => other_name),
    press_count: new Set(about.all(artistPressMentions).map(({ url }) => url)).size,
  };
}
