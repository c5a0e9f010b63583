import fc from 'fast-check';
import { catalogArtist } from '../../../projections/contracts/catalog/artist.ts';
import type { Source } from '../../../projections/contracts/contract.ts';
import { artistIdentityBridge } from '../../../projections/contracts/seen/artist-identity-bridge.ts';
import { artistMomentum } from '../../../projections/contracts/seen/artist-momentum.ts';
import { festival } from '../../../projections/contracts/seen/festival.ts';
import { festivalEdition } from '../../../projections/contracts/seen/festival-edition.ts';
import { festivalLineup } from '../../../projections/contracts/seen/festival-lineup.ts';
import { artistHistory } from './artists.ts';
import { cluster, day, type HistoryRows, small, word } from './values.ts';

const festivalId = fc.constantFrom('f1', 'f2');
const editionId = fc.constantFrom('e1', 'e2', 'e3');
const slug = fc.constantFrom('acl', 'austin', 'Sónar');

/** What festivals show of the artists they booked. */
const ofArtists: readonly Source[] = [artistMomentum, artistIdentityBridge, catalogArtist];

/** What feeds festivals. */
export const festivalHistory: readonly HistoryRows[] = [
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
  ...artistHistory.filter(([source]) => ofArtists.includes(source)),
];
