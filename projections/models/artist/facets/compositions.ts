import { Type } from '@sinclair/typebox';
import { mbArtistWork } from '../../../contracts/mb/artist-work.ts';
import { ascending, descending, sorted } from '../../../engine/order.ts';
import { defineArtistFacet } from '../facet.ts';

const LIMIT = 25;

export const compositions = defineArtistFacet({
  name: 'compositions',
  sources: [mbArtistWork],
  description: 'Works the artist wrote, the most widely owned first.',
  signals: Type.Object({
    works: Type.Array(
      Type.Object(
        {
          workMbid: Type.String({ description: 'Id of the work in the open metadata database, a UUID.' }),
          workName: Type.String({ description: 'Name of the work.' }),
          ownerReach: Type.Number({ description: 'Collectors who own a release with the work on it.' }),
          versionCollectors: Type.Number({ description: 'Collectors who own some version of the work.' }),
          versionDepth: Type.Number({ description: 'Versions of the work that are known.' }),
          nRecordingsGlobal: Type.Number({ description: 'Recordings of the work by any artist.' }),
        },
        { description: 'One work that the artist wrote.' },
      ),
      { maxItems: LIMIT, description: 'The works, the most widely owned first.' },
    ),
  }),
  read(rows) {
    const works = sorted(
      rows.all(mbArtistWork),
      descending((work) => work.owner_reach),
      ascending((work) => work.work_mbid),
    );
    if (works.length === 0) return null;
    return {
      works: works.slice(0, LIMIT).map((work) => ({
        workMbid: work.work_mbid,
        workName: work.work_name,
        ownerReach: work.owner_reach,
        versionCollectors: work.version_collectors,
        versionDepth: work.version_depth,
        nRecordingsGlobal: work.n_recordings_global,
      })),
    };
  },
});
