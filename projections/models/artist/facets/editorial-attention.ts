import { Type } from '@sinclair/typebox';
import { editorialArtistAttention } from '../../../contracts/editorial/artist-attention.ts';
import { orNull } from '../../../engine/values.ts';
import { defineArtistFacet } from '../facet.ts';

export const editorialAttention = defineArtistFacet({
  name: 'editorial_attention',
  sources: [editorialArtistAttention],
  description: 'How many editorial pieces name the artist, in how many collections, and since when.',
  signals: Type.Object({
    memberCount: Type.Number({ description: 'Editorial pieces that name the artist.' }),
    sourceRepoCount: Type.Number({ description: 'Collections that those pieces are in.' }),
    firstObservedAt: orNull(
      Type.String({ format: 'date', description: 'Day of the earliest piece; null where none is dated.' }),
    ),
    latestObservedAt: orNull(
      Type.String({ format: 'date', description: 'Day of the latest piece; null where none is dated.' }),
    ),
  }),
  read(rows) {
    const row = rows.one(editorialArtistAttention);
    return (
      row && {
        memberCount: row.member_count,
        sourceRepoCount: row.source_repo_count,
        firstObservedAt: row.first_observed_at,
        latestObservedAt: row.latest_observed_at,
      }
    );
  },
});
