import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { Type } from '@sinclair/typebox';
import { ProvenanceEntrySchema } from '../../../projections/engine/provenance.ts';
import { orNull } from '../../../projections/engine/values.ts';
import { Release } from '../../../projections/models/storefront-release/release.ts';
import { ErrorBody, invalidParameter } from '../../http/errors.ts';
import { ARTIST_KEY_ERRORS } from '../artist/artist-key.ts';
import { isName } from '../dossier/entity-key.ts';
import { GeneratedAt } from '../dossier/envelope-schema.ts';
import { underArtist } from '../dossier/under-artist.ts';
import type { QueryParts } from '../parts.ts';

/** A storefront release as served under its artist. */
export const StorefrontReleaseBody = Type.Object(
  {
    object: Type.Literal('storefront.release'),
    present: Type.Boolean({
      description: 'False if the release is unknown or belongs to another artist.',
    }),
    release: orNull(
      Type.Object({
        ...Release.properties,
        provenance: Type.Array(ProvenanceEntrySchema, {
          description: 'Provenance of the release, its tracks, its economics and its artwork, in this order.',
        }),
        generated_at: GeneratedAt,
      }),
    ),
  },
  { description: 'One storefront release of an artist, with its provenance.' },
);

const ABSENT = { object: 'storefront.release', present: false, release: null } as const;

export const storefrontRoutes: FastifyPluginCallbackTypebox<{ parts: QueryParts }> = (
  app,
  { parts },
  done,
) => {
  const respond = underArtist(parts, {
    projection: 'storefront-release',
    parseId: parseItem,
    absent: ABSENT,
  });

  app.get(
    '/api/v2/artist/:key/storefront/:item',
    {
      config: { sendsStoredBytes: true, errors: [...ARTIST_KEY_ERRORS, 'invalid_query'] },
      schema: {
        operationId: 'getArtistStorefrontRelease',
        summary: 'One storefront release of an artist',
        description:
          'Returns one release of the storefront with its tracks, price, scarcity and artwork. present is false if the release is unknown or belongs to another artist. Item ids come from storefront_releases of the artist. Fewer than 5 distinct wishers are shown as 0.',
        tags: ['artist'],
        params: Type.Object({
          key: Type.String({ description: 'Cluster id of 64 lower-case hex digits, or slug.' }),
          item: Type.String({
            description: "Storefront item id as listed in the artist's storefront_releases. Case-sensitive.",
          }),
        }),
        response: { 200: StorefrontReleaseBody, 304: Type.Null(), '4xx': ErrorBody, '5xx': ErrorBody },
      },
    },
    (request, reply) => respond(request, reply, { key: request.params.key, id: request.params.item }),
  );

  done();
};

/** @throws ApiError `invalid_query` */
function parseItem(text: string): string {
  if (isName(text)) return text;
  throw invalidParameter('item', 'must be 1 to 200 characters, not all white space');
}
