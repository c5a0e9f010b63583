import { Type } from '@sinclair/typebox';
import type { Row } from '../../../contracts/contract.ts';
import { mbReleaseGroup } from '../../../contracts/mb/release-group.ts';
import { ascending, sorted } from '../../../engine/order.ts';
import { type ArtistRows, defineArtistFacet } from '../facet.ts';

export const debutAnchor = defineArtistFacet({
  name: 'debut_anchor',
  sources: [mbReleaseGroup],
  // Without an exact bind they may be a namesake's, so they do not date this artist's debut.
  usable: (rows) =>
    rows.one(mbReleaseGroup) === null || exactGroups(rows).length > 0 ? [mbReleaseGroup] : [],
  description: "The artist's earliest dated release group; known only with an exact bind.",
  signals: Type.Object({
    rgMbid: Type.String({ description: 'Id of the release group in the open metadata database, a UUID.' }),
    title: Type.String({ description: 'Title of the release group.' }),
    firstReleaseDate: Type.String({
      description: 'When it came out: YYYY, YYYY-MM or YYYY-MM-DD, as precise as it is known.',
    }),
    datedReleaseGroupCount: Type.Number({ description: 'Release groups of the artist that have a date.' }),
  }),
  read(rows) {
    const dated = exactGroups(rows).flatMap(({ first_release_date: date, ...group }) =>
      date === null ? [] : { ...group, date },
    );
    // As text, a less precise date sorts before the days it covers.
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

const exactGroups = (rows: ArtistRows): Row<typeof mbReleaseGroup>[] =>
  rows.all(mbReleaseGroup).filter((group) => group.is_exact_bind);
