import type { Semantics } from './semantics.ts';

/** Terms of the registry and of all surfaces, by entry name. */
export const terms: Readonly<Record<string, Semantics>> = {
  'vocabulary.clock_class': term({
    audience_blurb: 'What the dates of a surface refer to. Compare dates only within one class.',
    scale_bands: [
      'event: when something happened in the world',
      'sighting: when the producer first or last saw it, which is never before it happened',
      'snapshot: the day on which the whole row was taken; there is no history in it',
      'window: a span that ends with the day of the refresh, so that values move with time alone',
      'register: the decision in force; dates, if any, are those of the decision',
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
    caveats: ['Edges are listed under the requested cluster; the other end may list fewer.'],
  }),
  'vocabulary.keyspace': term({
    audience_blurb:
      'What a cluster id identifies. Ids are derived from names; those of artists, labels and recordings never meet.',
    scale_bands: [
      'pe-norm-v1-artist: artists, as normalised names',
      'pe-norm-v1-label: labels, as normalised names',
      'pe-norm-v1-recording: recordings, as normalised artist and title',
    ],
    honest_limits: 'An id says nothing about its keyspace; the surface does.',
    caveats: ['A key of another keyspace is no error: it finds nothing and returns an honest gap.'],
  }),
  'vocabulary.liveness': term({
    audience_blurb: 'Whether a surface can be relied on now. It is measured, not declared.',
    scale_bands: [
      'populated: there are rows, and the producer has sent changes or heartbeats in time',
      'advisory: there are rows, and the producer has been silent for more than two of its refreshes',
      'empty: there are no rows',
    ],
    honest_limits: 'It describes the whole surface, not the requested cluster.',
    caveats: ['Heartbeats keep the surface of a producer without changes populated.'],
  }),
  'vocabulary.tier': term({
    audience_blurb: 'How much a source counts where sources disagree.',
    scale_bands: [
      'authority: decides what it describes',
      'observed: reports what it saw',
      'derived: computes from what others saw',
    ],
    honest_limits: null,
    caveats: ['A source of a higher tier may still be older: look at its refresh cadence and its liveness.'],
  }),
  'rules.alias_screening': term({
    audience_blurb: 'How other names of an artist are accepted without confusing artists.',
    scale_bands: [
      'names are compared whole, without regard to case, width and spacing; similarity alone never leads to an artist',
      'the name in the catalogue comes first, then a numbered homonym under its bare name, then catalogue aliases, published names, billed names and cluster aliases',
      'if several artists are equal candidates for one name, none is chosen',
      'an alias that is a cluster id is the id of a merged cluster: resolve and the preview lead from it to the one that remains; all other routes use exactly the requested id',
    ],
    honest_limits: 'Aliases are taken as their producers give them, unchecked.',
    caveats: ['No cluster id is computed from an alias: only producers derive ids from names.'],
  }),
  'rules.k_anonymity': term({
    audience_blurb:
      'Which counts are held back because so few people could be identified, and from how many on they are published.',
    scale_bands: [
      'wishes of collectors and on the storefront, in dossiers and surfaces: fewer than five are reported as none',
      'days, coverage and proportions of wishes on the storefront: null with fewer than five wishes',
      'distinct wishers of a storefront release: fewer than five are reported as none; its pressure index is computed from wishes after the same floor',
      'owners of an artist in lists of artists: null for fewer than five, and the lists sort by the published value',
      'labels that are owned together: edges with fewer than five common owners are left out',
      'candidates for a name that resolve did not find: artists with fewer than two events are left out',
    ],
    honest_limits:
      'All other counts, owners and supporters in dossiers and surfaces included, are published as their producers give them, however small.',
    caveats: [
      'None may therefore mean none, or some below the floor.',
      'Scores and classes of a producer are published as given, even if computed from counts that have a floor here.',
    ],
  }),
};

function term(
  texts: Pick<Semantics, 'audience_blurb' | 'scale_bands' | 'honest_limits' | 'caveats'>,
): Semantics {
  return { ...texts, clock_class: null, formula_protected: false, as_of: '2026-11-21' };
}
