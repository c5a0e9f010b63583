import { Type } from '@sinclair/typebox';
import { artistPressMentions } from '../../../contracts/archive/artist-press-mentions.ts';
import { defineArtistFacet } from '../facet.ts';
import { newestMentions } from '../newest.ts';

const LIMIT = 50;

export const journalism = defineArtistFacet({
  name: 'journalism',
  sources: [artistPressMentions],
  description: 'Press about the artist, counted by kind, the newest pieces first.',
  signals: Type.Object({
    pressCount: Type.Number({ description: 'Pieces of the kind press, including those beyond the list.' }),
    reviewCount: Type.Number({ description: 'Reviews, including those beyond the list.' }),
    interviewCount: Type.Number({ description: 'Interviews, including those beyond the list.' }),
    featureCount: Type.Number({ description: 'Features, including those beyond the list.' }),
    items: Type.Array(
      Type.Object(
        {
          outlet: Type.String({ description: 'Name of the publication.' }),
          title: Type.String({ description: 'Headline of the piece.' }),
          url: Type.String({ description: 'URL of the piece.' }),
          kind: Type.String({
            description: 'Kind of piece: press, review, interview, feature or mention.',
          }),
          publishedAt: Type.String({ format: 'date-time', description: 'Instant of publication, in UTC.' }),
        },
        { description: 'One piece of the press.' },
      ),
      { maxItems: LIMIT, description: 'The pieces, newest first.' },
    ),
  }),
  read(rows) {
    const mentions = newestMentions(rows);
    if (mentions.length === 0) return null;
    const countOf = (kind: string) => mentions.filter((mention) => mention.kind === kind).length;
    return {
      pressCount: countOf('press'),
      reviewCount: countOf('review'),
      interviewCount: countOf('interview'),
      featureCount: countOf('feature'),
      items: mentions.slice(0, LIMIT).map((mention) => ({
        outlet: mention.outlet,
        title: mention.title,
        url: mention.url,
        kind: mention.kind,
        publishedAt: mention.published_at,
      })),
    };
  },
});
