import { type Static, Type } from '@sinclair/typebox';
import type { Row } from '../../../contracts/contract.ts';
import { festival } from '../../../contracts/seen/festival.ts';
import { type Facet, openState } from '../../../engine/facet.ts';
import { orNull } from '../../../engine/values.ts';
import { linkUrl } from '../../shared/web-url.ts';
import type { FestivalRows } from '../festival-rows.ts';

const description = 'Identity of the festival under all its names.';

const Identity = Type.Object({
  festivalId: Type.String({ description: 'Festival id.' }),
  name: Type.String({ description: 'Display name.' }),
  aliases: Type.Array(Type.String({ description: 'One other name.' }), {
    description: 'Other names of the festival.',
  }),
  mergedSlugs: Type.Array(Type.String({ description: 'One slug, in lower case.' }), {
    description: 'Slugs of entries merged into this festival; they lead to it.',
  }),
  country: orNull(
    Type.String({ description: 'Country of the festival, ISO 3166 alpha-2; null where unknown.' }),
  ),
  city: orNull(Type.String({ description: 'City of the festival; null where unknown.' })),
  websiteUrl: orNull(
    Type.String({ description: 'URL of its website, a link that is never fetched; null where unknown.' }),
  ),
});

/** Without the `{state, signals}` wrapper: the whole identity is null if no source names the festival. */
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
  websiteUrl: linkUrl(row.website_url),
});
