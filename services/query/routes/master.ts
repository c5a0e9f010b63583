import { type FastifyPluginCallbackTypebox, Type } from '@fastify/type-provider-typebox';
import { MASTER_OBJECT } from '../../../projections/master/dossier.ts';
import { ErrorBody, invalidParameter } from '../errors.ts';
import type { QueryParts } from '../parts.ts';
import { MasterDossierBody } from '../schemas/master.ts';
import { NoQuery } from '../schemas/no-query.ts';
import { underArtist } from '../serving/under-artist.ts';

const ABSENT = { object: MASTER_OBJECT, present: false, master: null } as const;

export const masterRoutes: FastifyPluginCallbackTypebox<{ parts: QueryParts }> = (app, { parts }, done) => {
  const answer = underArtist(parts, 'master', parseMasterId, ABSENT);

  app.get(
    '/api/v2/artist/:key/master/:id',
    {
      config: { sendsStoredBytes: true },
      schema: {
        tags: ['artist'],
        operationId: 'getArtistMaster',
        summary: 'Release-group dossier, under an artist it is filed under',
        params: Type.Object({
          key: Type.String({ description: 'Cluster id of 64 hex digits, or slug, of the artist.' }),
          id: Type.String({ description: 'Catalogue master id, as in the discography of the artist.' }),
        }),
        querystring: NoQuery,
        response: { 200: MasterDossierBody, 304: Type.Null(), '4xx': ErrorBody, '5xx': ErrorBody },
      },
    },
    (request, reply) => answer(request, reply, request.params.key, request.params.id),
  );

  done();
};

/**
 * A master id as it is stored. One beyond the range of ids names nothing, which is for the look-up to find.
 *
 * @throws ApiError `invalid_query`
 */
function parseMasterId(text: string): string {
  if (/^\d+$/.test(text)) return text.replace(/^0+(?=\d)/, '');
  throw invalidParameter('id', 'must be decimal digits only');
}
