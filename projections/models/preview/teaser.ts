import { type Static, Type } from '@sinclair/typebox';
import { artistPressMentions } from '../../contracts/archive/artist-press-mentions.ts';
import { artistCoEvent } from '../../contracts/seen/artist-co-event.ts';
import { artistEmergenceNarrativePublic } from '../../contracts/seen/artist-emergence-narrative-public.ts';
import { artistMomentum } from '../../contracts/seen/artist-momentum.ts';
import { ascending, descending, sorted } from '../../engine/order.ts';
import type { MirrorRows, SubjectRef } from '../../engine/rows.ts';
import { orNull } from '../../engine/values.ts';
import { ArtistRows } from '../artist/facet.ts';
import { nameOf } from '../artist/facets/identity.ts';
import { artistSubject } from '../artist/lanes.ts';

const MAX_TRANSITIONS = 6;
const MAX_NAMES = 3;
/** Tier of artists without momentum. */
export const UNTRACKED = 'untracked';

const Transition = Type.Object(
  {
    year: Type.Integer({ description: 'Year of the transition.' }),
    tier: Type.String({ description: 'Tier that the artist reached.' }),
    label: Type.String({ description: 'Reason for the transition, in words.' }),
  },
  { description: 'One step of the career.' },
);

/** The public part of an artist: no economics, no provenance, capped lists. */
export const Teaser = Type.Object({
  display: Type.String({ description: 'Display name; the requested name if no artist was found.' }),
  cluster_id: orNull(
    Type.String({ description: 'Cluster id, 64 hex digits; null where none is bound to the artist.' }),
  ),
  resolved_via: orNull(
    Type.Union([Type.Literal('catalog'), Type.Literal('cluster')], {
      description: 'Binding tier: catalog (verified) or cluster (observed); null if no artist was found.',
    }),
  ),
  emergence_tier: Type.String({
    description: `Tier of emergence: breakout, rising, climbing or steady; ${UNTRACKED} where none is known.`,
  }),
  arc: Type.Array(Transition, {
    maxItems: MAX_TRANSITIONS,
    description: 'The latest transitions between tiers, oldest first.',
  }),
  arc_truncated: Type.Boolean({ description: 'Whether there were transitions before those of arc.' }),
  booked_with: Type.Array(Type.String(), {
    maxItems: MAX_NAMES,
    description: 'Artists met at most events.',
  }),
  press_count: Type.Integer({ description: 'Distinct pages of the press about the artist.' }),
});
export type Teaser = Static<typeof Teaser>;

/** Null if no source names the artist. @param rows of the artist; in the catalogue lane also of its cluster */
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
    arc: transitions.slice(-MAX_TRANSITIONS).map(({ transition_at, tier, label }) => ({
      year: Number(transition_at.slice(0, 4)),
      tier,
      label,
    })),
    arc_truncated: transitions.length > MAX_TRANSITIONS,
    booked_with: met.slice(0, MAX_NAMES).map(({ other_name }) => other_name),
    press_count: new Set(about.all(artistPressMentions).map(({ url }) => url)).size,
  };
}
