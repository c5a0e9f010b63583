import { type Static, Type } from '@sinclair/typebox';
import { type Facet, openState } from '../../facet.ts';
import type { Row } from '../../sources/contract.ts';
import { festival } from '../../sources/seen/festival.ts';
import { orNull } from '../../values.ts';
import { webAddress } from '../../web-address.ts';
import type { FestivalRows } from '../festival-rows.ts';

const description = 'Which festival it is, over all the names it has gone by.';

const Identity = Type.Object({
  festivalId: Type.String({ description: 'Festival id.' }),
  name: Type.String({ description: 'Display name.' }),
  aliases: Type.Array(Type.String({ description: 'One other name.' }), {
    description: 'Other names of the festival.',
  }),
  mergedSlugs: Type.Array(Type.String({ description: 'One slug, in lower case.' }), {
    description: 'Slugs of entries that turned out to be this festival; they answer with it.',
  }),
  country: orNull(
    Type.String({ description: 'Country of the festival, ISO 3166 alpha-2; null where unknown.' }),
  ),
  city: orNull(Type.String({ description: 'City of the festival; null where unknown.' })),
  websiteUrl: orNull(
    Type.String({ description: 'Address of its website, a link that is never fetched; null where unknown.' }),
  ),
});

/** Without the `{state, signals}` wrapper: the whole identity is null where no source names the festival. */
export const identity: Facet<FestivalRows, 'identity'> = {
  name: 'identity',
  sources: [festival],
  description,
  schema: { ...orNull(Identity), description },
  build(rows) {
    const row = rows.one(festival);
    return row === null
      ? { state: openState(rows, [festival]), value: null }
      : { state: 'present', value: identityOf(row) };
  },
};

const identityOf = (row: Row<typeof festival>): Static<typeof Identity> => ({
  festivalId: row.festival_id,
  name: row.name,
  aliases: row.aliases,
  mergedSlugs: row.merged_slugs.map((slug) => slug.toLowerCase()),
  country: row.country,
  city: row.city,
  websiteUrl: webAddress(row.website_url),
});
