import { Type } from '@sinclair/typebox';
import { artistPressMentions } from '../../sources/archive/artist-press-mentions.ts';
import { defineArtistFacet } from '../facet.ts';
import { newestMentions } from '../newest.ts';

const LIMIT = 50;

export const journalism = defineArtistFacet({
  name: 'journalism',
  sources: [artistPressMentions],
  description: 'How the press wrote about the artist, by kind, the newest pieces first.',
  signals: Type.Object({
    pressCount: Type.Number(),
    reviewCount: Type.Number(),
    interviewCount: Type.Number(),
    featureCount: Type.Number(),
    items: Type.Array(
      Type.Object({
        outlet: Type.String(),
        title: Type.String(),
        url: Type.String(),
        kind: Type.String({
          description: 'press, review, interview, feature or mention.',
        }),
        publishedAt: Type.String({ format: 'date-time' }),
      }),
      { maxItems: LIMIT },
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
