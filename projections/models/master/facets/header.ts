import { Type } from '@sinclair/typebox';
import { catalogArtist } from '../../../contracts/catalog/artist.ts';
import { catalogMaster } from '../../../contracts/catalog/master.ts';
import { artistIdentityBridge } from '../../../contracts/seen/artist-identity-bridge.ts';
import { type Facet, fromSource } from '../../../engine/facet.ts';
import { orNull } from '../../../engine/values.ts';
import type { MasterRows } from '../master-rows.ts';

const description = 'The release group and its artists in the catalogue.';

const ArtistOfMaster = Type.Object({
  catalogArtistId: Type.Integer(),
  name: fromSource(catalogArtist, orNull(Type.String())),
  slug: fromSource(catalogArtist, orNull(Type.String())),
  clusterId: fromSource(
    artistIdentityBridge,
    orNull(Type.String({ description: 'Null if no cluster is bound to this catalogue artist alone.' })),
  ),
});

export const header: Facet<MasterRows, 'header'> = {
  name: 'header',
  sources: [catalogMaster, catalogArtist, artistIdentityBridge],
  description,
  schema: Type.Object(
    {
      masterId: Type.Integer(),
      title: Type.String(),
      artistDisplay: Type.String({ description: 'The artists as the release group credits them.' }),
      artists: Type.Array(ArtistOfMaster),
      year: orNull(Type.Integer()),
      genres: Type.Array(Type.String()),
      styles: Type.Array(Type.String()),
      formats: Type.Array(Type.String()),
      country: orNull(Type.String()),
      labels: Type.Array(Type.String()),
      releaseCount: orNull(Type.Integer()),
    },
    { description },
  ),
  build({ master, filedUnder }) {
    const artists = filedUnder.map(({ catalogArtistId, artist, clusterId }) => ({
      catalogArtistId,
      name: artist?.name ?? null,
      slug: artist?.slug.toLowerCase() ?? null,
      clusterId,
    }));
    return {
      state: 'present',
      value: {
        masterId: master.master_id,
        title: master.title,
        artistDisplay: master.artist_display,
        artists,
        year: master.year,
        genres: master.genres,
        styles: master.styles,
        formats: master.formats,
        country: master.country,
        labels: master.labels,
        releaseCount: master.release_count,
      },
    };
  },
};
