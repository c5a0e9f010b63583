import { type Static, Type } from '@sinclair/typebox';
import { artistPressMentions } from '../../../contracts/archive/artist-press-mentions.ts';
import { type Facet, openState } from '../../../engine/facet.ts';
import { orNull } from '../../../engine/values.ts';
import type { ArtistRows } from '../facet.ts';
import { newestMentions } from '../newest.ts';

const LIMIT = 10;

const description =
  'The newest press mentions, unfiltered, one per page. An empty list reflects the archive, not the press.';

const CitedMentions = Type.Array(
  Type.Object(
    {
      outlet: Type.String({ description: 'Name of the publication.' }),
      title: Type.String({ description: 'Headline of the page.' }),
      url: Type.String({ description: 'URL of the page.' }),
      publishedAt: Type.String({ format: 'date-time', description: 'Instant of publication, in UTC.' }),
      sourceRepo: orNull(
        Type.String({ description: 'Collection that the mention was found in; null where unknown.' }),
      ),
    },
    { description: 'One page of the press that mentions the artist.' },
  ),
  { maxItems: LIMIT, description },
);
type CitedMentions = Static<typeof CitedMentions>;

/** A plain array; its state is only in the provenance. */
export const citedMentions: Facet<ArtistRows, 'citedMentions'> = {
  name: 'citedMentions',
  sources: [artistPressMentions],
  description,
  schema: CitedMentions,
  build(rows) {
    const value = citedMentionsOf(rows);
    return {
      state: value.length > 0 ? 'present' : openState(rows, [artistPressMentions]),
      value,
    };
  },
};

function citedMentionsOf(rows: ArtistRows): CitedMentions {
  const newestByUrl = new Map<string, CitedMentions[number]>();
  for (const { outlet, title, url, published_at, source_repo } of newestMentions(rows)) {
    if (newestByUrl.size === LIMIT) break;
    if (newestByUrl.has(url)) continue;
    newestByUrl.set(url, {
      outlet,
      title,
      url,
      publishedAt: published_at,
      sourceRepo: source_repo,
    });
  }
  return [...newestByUrl.values()];
}
