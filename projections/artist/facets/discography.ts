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
      Type.Object({
        catalogMasterId: Type.Number(),
        title: Type.String(),
        year: orNull(Type.Number()),
        genres: Type.Array(Type.String()),
        styles: Type.Array(Type.String()),
        formats: Type.Array(Type.String()),
        country: orNull(Type.String()),
        observed: Type.Optional(
          Type.Literal(true, {
            description: 'Bound by the name alone, unverified.',
          }),
        ),
        _links: Type.Object({ master: Type.String() }),
      }),
      { maxItems: LIMIT },
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
