import { Type } from '@sinclair/typebox';
import { artistPath } from '../../links.ts';
import { ascending, descending, sorted } from '../../order.ts';
import { catalogMaster } from '../../sources/catalog/master.ts';
import { orNull } from '../../values.ts';
import { defineArtistFacet } from '../facet.ts';

const LIMIT = 200;

export const discography = defineArtistFacet({
  name: 'discography',
  sources: [catalogMaster],
  description: "The artist's release groups, newest first, each with the path of its own page.",
  signals: Type.Object({
    count: Type.Number({
      description: 'All release groups on file, also those beyond the list.',
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
                'True where the release group is bound by the artist name alone, unverified; else absent.',
            }),
          ),
          _links: Type.Object(
            { master: Type.String({ description: 'Path of the page of the release group.' }) },
            { description: 'Onward paths.' },
          ),
        },
        { description: 'One release group.' },
      ),
      { maxItems: LIMIT, description: 'The release groups, newest first.' },
    ),
  }),
  read(rows) {
    const { lane, key } = rows.subject;
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
        ...(lane === 'cluster' ? { observed: true as const } : {}),
        _links: { master: artistPath(key, 'master', String(master.master_id)) },
      })),
    };
  },
});
