import { Type } from '@sinclair/typebox';
import { ascending, descending, sorted } from '../../order.ts';
import { editorialWebLink } from '../../sources/editorial/web-link.ts';
import { orNull } from '../../values.ts';
import { defineArtistFacet } from '../facet.ts';

const LIMIT = 50;

export const acrossTheWeb = defineArtistFacet({
  name: 'across_the_web',
  sources: [editorialWebLink],
  description: 'Pages about the artist that editors collected, the surest first.',
  signals: Type.Object({
    count: Type.Number({
      description: 'All links on file, also those beyond the list.',
    }),
    links: Type.Array(
      Type.Object({
        source: Type.String(),
        sourceSubtype: orNull(Type.String()),
        url: Type.String(),
        title: orNull(Type.String()),
        description: orNull(Type.String()),
        confidence: orNull(Type.Number()),
      }),
      { maxItems: LIMIT },
    ),
  }),
  read(rows) {
    const links = sorted(
      rows.all(editorialWebLink),
      descending((link) => link.confidence),
      ascending((link) => link.link_id),
    );
    if (links.length === 0) return null;
    return {
      count: links.length,
      links: links.slice(0, LIMIT).map((link) => ({
        source: link.source,
        sourceSubtype: link.source_subtype,
        url: link.url,
        title: link.title,
        description: link.description,
        confidence: link.confidence,
      })),
    };
  },
});
