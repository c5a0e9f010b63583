import { Type } from '@sinclair/typebox';
import { catalogMaster } from '../../../contracts/catalog/master.ts';
import type { Row } from '../../../contracts/contract.ts';
import { artistIdentityBridge } from '../../../contracts/seen/artist-identity-bridge.ts';
import { ascending, descending, sorted } from '../../../engine/order.ts';
import { orNull } from '../../../engine/values.ts';
import { artistPath } from '../../shared/links.ts';
import { type ArtistRows, defineArtistFacet } from '../facet.ts';
import { isAuthoritative, isOverMerge } from '../lanes.ts';

const LIMIT = 200;

export const discography = defineArtistFacet({
  name: 'discography',
  sources: [catalogMaster],
  description: "The artist's release groups, newest first, with the paths of their own pages.",
  signals: Type.Object({
    count: Type.Number({
      description: 'All release groups, including those beyond the list.',
    }),
    items: Type.Array(
      Type.Object(
        {
          catalogMasterId: Type.Number({ description: 'Catalogue id of the release group.' }),
          title: Type.String({ description: 'Title of the release group.' }),
          year: orNull(Type.Number({ description: 'Year it first came out; null where unknown.' })),
          genres: Type.Array(Type.String({ description: 'Name of a genre.' }), {
            description: 'Genres it is filed under.',
          }),
          styles: Type.Array(Type.String({ description: 'Name of a style.' }), {
            description: 'Styles it is filed under.',
          }),
          formats: Type.Array(Type.String({ description: 'Name of a format.' }), {
            description: 'Formats it came out on.',
          }),
          country: orNull(
            Type.String({ description: 'Country it came out in, ISO 3166 alpha-2; null where unknown.' }),
          ),
          observed: Type.Optional(
            Type.Literal(true, {
              description:
                'True if several catalogue artists folded into its name cluster: observed, unverified. Else absent.',
            }),
          ),
          _links: Type.Object(
            {
              master: Type.Optional(
                Type.String({
                  description:
                    'Path of the page of the release group; absent if the artist is not bound to it authoritatively.',
                }),
              ),
            },
            { description: 'Onward paths.' },
          ),
        },
        { description: 'One release group.' },
      ),
      { maxItems: LIMIT, description: 'The release groups, newest first.' },
    ),
  }),
  read(rows) {
    const { key } = rows.subject;
    const masters = sorted(
      rows.all(catalogMaster),
      descending((master) => master.year),
      ascending((master) => master.master_id),
    );
    if (masters.length === 0) return null;
    return {
      count: masters.length,
      items: masters.slice(0, LIMIT).map((master) => ({
        catalogMasterId: master.master_id,
        title: master.title,
        year: master.year,
        genres: master.genres,
        styles: master.styles,
        formats: master.formats,
        country: master.country,
        ...(isOverMerge(rows.nameBridge(master)) ? { observed: true as const } : {}),
        _links: opens(master, rows) ? { master: artistPath(key, 'master', String(master.master_id)) } : {},
      })),
    };
  },
});

/** Whether the release group has a page under the artist: it is filed under the artist, who is bound authoritatively. */
function opens({ catalog_artist_ids }: Row<typeof catalogMaster>, rows: ArtistRows): boolean {
  if (rows.subject.lane === 'catalog') return true;
  const bridge = rows.one(artistIdentityBridge);
  return (
    bridge !== null && isAuthoritative(bridge) && catalog_artist_ids.includes(bridge.catalog_artist_id ?? 0)
  );
}
