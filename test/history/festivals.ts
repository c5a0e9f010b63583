import fc from 'fast-check';
import { festival } from '../../projections/sources/seen/festival.ts';
import { festivalEdition } from '../../projections/sources/seen/festival-edition.ts';
import { festivalLineup } from '../../projections/sources/seen/festival-lineup.ts';
import { artistRows } from './artists.ts';
import { cluster, day, type SourceRows, small, word } from './values.ts';

const festivalId = fc.constantFrom('f1', 'f2');
const editionId = fc.constantFrom('e1', 'e2', 'e3');
const slug = fc.constantFrom('acl', 'austin', 'Sónar');

/** What feeds festivals. */
export const festivalRows: readonly SourceRows[] = [
  [
    festival,
    fc.record({
      festival_id: festivalId,
      name: word,
      slug,
      aliases: fc.uniqueArray(word, { maxLength: 2 }),
      merged_slugs: fc.uniqueArray(slug, { maxLength: 2 }),
      country: fc.constantFrom(null, 'US'),
      city: fc.constant(null),
      website_url: fc.constant(null),
    }),
  ],
  [
    festivalEdition,
    fc.record({
      edition_id: editionId,
      festival_id: festivalId,
      year: fc.constantFrom(2018, 2019),
      title: fc.option(word),
      starts_on: fc.option(day),
      ends_on: fc.option(day),
      venue: fc.constant(null),
      city: fc.constant(null),
      country: fc.constant(null),
      cancelled: fc.boolean(),
    }),
  ],
  [
    festivalLineup,
    fc.record({
      edition_id: editionId,
      artist_cluster_id: cluster,
      festival_id: festivalId,
      artist_name: word,
      stage: fc.option(word),
      plays_on: fc.option(day),
      billing_order: fc.option(small),
    }),
  ],
  ...artistRows.filter(([{ table }]) => table === 'seen.artist_momentum'),
];
