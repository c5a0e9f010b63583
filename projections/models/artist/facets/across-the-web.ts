import { Type } from '@sinclair/typebox';
import { editorialWebLink } from '../../../contracts/editorial/web-link.ts';
import { ascending, descending, sorted } from '../../../engine/order.ts';
import { orNull } from '../../../engine/values.ts';
import { defineArtistFacet } from '../facet.ts';

const LIMIT = 50;

export const acrossTheWeb = defineArtistFacet({
  name: 'across_the_web',
  sources: [editorialWebLink],
  description: 'Pages about the artist that editors collected, by confidence.',
  signals: Type.Object({
    count: Type.Number({
      description: 'All links, including those beyond the list.',
    }),
    links: Type.Array(
      Type.Object(
        {
          source: Type.String({ description: 'Kind of site or collection that the link comes from.' }),
          sourceSubtype: orNull(
            Type.String({ description: 'Finer kind within the source; null where it has none.' }),
          ),
          url: Type.String({ description: 'URL of the page.' }),
          title: orNull(Type.String({ description: 'Title of the page; null where unknown.' })),
          description: orNull(Type.String({ description: 'What the page is about; null where unknown.' })),
          confidence: orNull(
            Type.Number({
              description: 'Confidence that the page is about the artist; null where not rated.',
            }),
          ),
        },
        { description: 'One page about the artist.' },
      ),
      { maxItems: LIMIT, description: 'The pages, by confidence.' },
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
