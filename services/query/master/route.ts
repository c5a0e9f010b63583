import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { Type } from '@sinclair/typebox';
import { NotedProvenanceEntrySchema } from '../../../projections/engine/provenance.ts';
import { MASTER_OBJECT } from '../../../projections/models/master/dossier.ts';
import { facets } from '../../../projections/models/master/facets/index.ts';
import { ErrorBody, invalidParameter } from '../../http/errors.ts';
import { ARTIST_KEY_ERRORS } from '../artist/artist-key.ts';
import { GeneratedAt, Provenance } from '../dossier/envelope-schema.ts';
import { underArtist } from '../dossier/under-artist.ts';
import type { QueryParts } from '../parts.ts';

/** A release group as served under one of its artists. */
export const MasterDossierBody = Type.Union([
  Type.Object(
    {
      object: Type.Literal(MASTER_OBJECT),
      present: Type.Literal(true),
      master: Type.Object({
        grain: Type.Literal('master'),
        ...Object.fromEntries(facets.map(({ name, schema }) => [name, schema])),
        provenance: { ...Provenance, items: NotedProvenanceEntrySchema },
        generated_at: GeneratedAt,
      }),
    },
    { description: 'All data of one release group, with its provenance.' },
  ),
  Type.Object(
    {
      object: Type.Literal(MASTER_OBJECT),
      present: Type.Literal(false),
      master: Type.Null(),
    },
    { description: 'This artist has no such release group, or its bind is not authoritative.' },
  ),
]);

const ABSENT = { object: MASTER_OBJECT, present: false, master: null } as const;

export const masterRoutes: FastifyPluginCallbackTypebox<{ parts: QueryParts }> = (app, { parts }, done) => {
  const respond = underArtist(parts, { projection: 'master', parseId: parseMasterId, absent: ABSENT });

  app.get(
    '/api/v2/artist/:key/master/:id',
    {
      config: { sendsStoredBytes: true, errors: [...ARTIST_KEY_ERRORS, 'invalid_query'] },
      schema: {
        tags: ['artist'],
        operationId: 'getArtistMaster',
        summary: 'Release-group dossier, under an artist it is filed under',
        description:
          'Returns one release group: header, cube, track list, first appearances and artwork, with their provenance. present is false unless the release group is filed under this artist and bound authoritatively. Unknown ids are such a response too, never a 404. binding.observed marks release groups of an over-merged name.',
        params: Type.Object({
          key: Type.String({
            description: 'Cluster id of 64 lower-case hex digits, or slug, of the artist.',
          }),
          id: Type.String({ description: 'Catalogue master id, as in the discography of the artist.' }),
        }),
        response: { 200: MasterDossierBody, 304: Type.Null(), '4xx': ErrorBody, '5xx': ErrorBody },
      },
    },
    (request, reply) => respond(request, reply, request.params),
  );

  done();
};

/**
 * A master id as it is stored. An id beyond the range of ids is valid and finds nothing.
 *
 * @throws ApiError `invalid_query`
 */
function parseMasterId(text: string): string {
  if (/^\d+$/.test(text)) return text.replace(/^0+(?=\d)/, '');
  throw invalidParameter('id', 'must consist of decimal digits only');
}
