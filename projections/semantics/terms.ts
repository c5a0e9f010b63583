import type { Semantics } from './semantics.ts';

/** What is said of no surface in particular, by entry name: what the words of the registry and of all surfaces mean. */
export const terms: Readonly<Record<string, Semantics>> = {
  'vocabulary.clock_class': term({
    audience_blurb: 'What the dates of a surface are dates of. Compare dates only within one class.',
    scale_bands: [
      'event: when something happened in the world',
      'sighting: when the producer first or last saw it, which is never before it happened',
      'snapshot: the day on which the whole row was taken; there is no history in it',
      'window: a span that ends with the day of the refresh, so that values move with time alone',
      'register: the ruling that stands; dates, if any, say when it was made',
    ],
    honest_limits: 'A class says what a date means, not how exact it is.',
    caveats: ['A sighting that is earlier than another does not mean that the event was.'],
  }),
  'vocabulary.grain': term({
    audience_blurb: 'How many rows a surface has of one cluster.',
    scale_bands: [
      'cluster-row: at most one row; there are no pages',
      'cluster-multirow: any number of rows, in pages',
      'cluster-edge-list: one row for each other cluster that this one is connected with, in pages',
    ],
    honest_limits: null,
    caveats: ['Edges are listed under the cluster they were asked for; the other end may list fewer.'],
  }),
  'vocabulary.keyspace': term({
    audience_blurb:
      'What a cluster id is an id of. Ids are derived from names, and those of artists, labels and recordings never meet.',
    scale_bands: [
      'pe-norm-v1-artist: artists, as normalised names',
      'pe-norm-v1-label: labels, as normalised names',
      'pe-norm-v1-recording: recordings, as normalised artist and title',
    ],
    honest_limits: 'An id says nothing about its keyspace; the surface does.',
    caveats: ['A key of another keyspace is no error: it finds nothing, which is answered as an honest gap.'],
  }),
  'vocabulary.liveness': term({
    audience_blurb: 'Whether a surface can be relied on now. It is measured, not declared.',
    scale_bands: [
      'populated: there are rows, and the producer has been heard of in time',
      'advisory: there are rows, and the producer has been silent for more than two of its refreshes',
      'empty: there is no row of anybody',
    ],
    honest_limits: 'It speaks of the whole surface, not of the cluster that is asked for.',
    caveats: ['A producer that has nothing to change is heard of by its heartbeats, and so stays populated.'],
  }),
  'vocabulary.tier': term({
    audience_blurb: 'How much the word of a source counts where sources disagree.',
    scale_bands: [
      'authority: rules on what it speaks of',
      'observed: tells what it saw',
      'derived: works out from what others saw',
    ],
    honest_limits: null,
    caveats: ['A source of a higher tier may still be older: look at its refresh cadence and its liveness.'],
  }),
  'rules.alias_screening': term({
    audience_blurb: 'How other names of an artist are let in, so that nobody is taken for somebody else.',
    scale_bands: [
      'names are compared whole, without regard to case, width and spacing; likeness alone never leads to an artist',
      'the name in the catalogue comes first, then a numbered homonym under its bare name, then catalogue aliases, published names, billed names and cluster aliases',
      'of equal claims to one name none is chosen',
      'an alias that is a cluster id is the id of a merged cluster: resolve and the preview lead from it to the one that remains; dossiers, surfaces and all else answer of the very id that is asked for',
    ],
    honest_limits:
      'Aliases are taken as their producers give them; nobody checks that they are names of the artist.',
    caveats: ['No cluster id is worked out from an alias: only producers derive ids from names.'],
  }),
  'rules.k_anonymity': term({
    audience_blurb:
      'Which counts are held back where they are of so few people that they could be told apart, and from how many on they are told.',
    scale_bands: [
      'wishes of collectors and on the storefront, in dossiers and surfaces: fewer than five are reported as none',
      'days, coverage and proportions of wishes on the storefront: null beside fewer than five wishes',
      'distinct wishers of a storefront release: fewer than five are reported as none; its pressure index is worked out from wishes after the same floor',
      'owners of an artist in lists of artists: null for fewer than five, and the lists are in the order of what they tell',
      'labels that are owned together: edges with fewer than five common owners are left out',
      'candidates for a name that resolve did not find: artists with fewer than two events are left out',
    ],
    honest_limits:
      'All other counts leave as their producers give them, owners and supporters in dossiers and surfaces among them, be they ever so small.',
    caveats: [
      'None may therefore mean none, or some below the floor.',
      'Scores and classes of a producer leave as they are given, even where it worked them out from counts that have a floor here.',
    ],
  }),
};

function term(
  said: Pick<Semantics, 'audience_blurb' | 'scale_bands' | 'honest_limits' | 'caveats'>,
): Semantics {
  return { ...said, clock_class: null, formula_protected: false, as_of: '2026-11-21' };
}
