import { Type } from '@sinclair/typebox';
import { ascending, sorted } from '../../order.ts';
import { mbReleaseGroup } from '../../sources/mb/release-group.ts';
import { defineArtistFacet } from '../facet.ts';

export const debutAnchor = defineArtistFacet({
  name: 'debut_anchor',
  sources: [mbReleaseGroup],
  description: "The artist's earliest dated release group, known only where the identity is exactly bound.",
  signals: Type.Object({
    rgMbid: Type.String({ description: 'Id of the release group in the open metadata database, a UUID.' }),
    title: Type.String({ description: 'Title of the release group.' }),
    firstReleaseDate: Type.String({
      description: 'When it came out: YYYY, YYYY-MM or YYYY-MM-DD, as precise as it is known.',
    }),
    datedReleaseGroupCount: Type.Number({ description: 'Release groups of the artist that have a date.' }),
  }),
  read(rows) {
    const groups = rows.all(mbReleaseGroup);
    const exact = groups.filter((group) => group.is_exact_bind);
    // Release groups of a namesake, perhaps: they say nothing of this artist's debut.
    if (groups.length > 0 && exact.length === 0) return 'honest_gap';
    const dated = exact.flatMap(({ first_release_date: date, ...group }) =>
      date === null ? [] : { ...group, date },
    );
    // Compared as text, a less precise date comes before the days it covers; equal dates go by id.
    const [earliest] = sorted(
      dated,
      ascending((group) => group.date),
      ascending((group) => group.rg_mbid),
    );
    return earliest === undefined
      ? null
      : {
          rgMbid: earliest.rg_mbid,
          title: earliest.title,
          firstReleaseDate: earliest.date,
          datedReleaseGroupCount: dated.length,
        };
  },
});
