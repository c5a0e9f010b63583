import { type FastifyPluginCallbackTypebox, Type } from '@fastify/type-provider-typebox';
import { MASTER_OBJECT } from '../../../projections/master/dossier.ts';
import { byAddress, dossierLookup, underArtistSlug } from '../../../projections/read-dossiers.ts';
import { ApiError, ErrorBody } from '../errors.ts';
import type { QueryParts } from '../parts.ts';
import { MasterDossierBody } from '../schemas/master.ts';
import { NoQuery } from '../schemas/no-query.ts';
import { answerDossier } from '../serving/answer-dossier.ts';
import { parseArtistKey } from '../serving/artist-key.ts';
import { dossierSender } from '../serving/dossier-sender.ts';

const ABSENT = { object: MASTER_OBJECT, present: false, master: null } as const;

export const masterRoutes: FastifyPluginCallbackTypebox<{ parts: QueryParts }> = (app, { parts }, done) => {
  const byCluster = dossierLookup(parts.readPool, 'master-by-cluster', byAddress('master'));
  const bySlug = dossierLookup(parts.readPool, 'master-by-slug', underArtistSlug('master'));
  const sender = dossierSender(parts.staleness, parts.now);

  app.get(
    '/api/v2/artist/:key/master/:id',
    {
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
    (request, reply) => {
      const { isCluster, value } = parseArtistKey(request.params.key, 'key');
      const path = `${value}/${parseMasterId(request.params.id)}`;
      reply.header('cache-control', 'private, no-cache');
      return answerDossier(
        { request, reply, sender },
        isCluster ? byCluster : bySlug,
        isCluster ? `artist:${path}` : path,
        () => ABSENT,
      );
    },
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
  throw new ApiError('invalid_query', {
    param: 'id',
    details: [{ path: 'id', message: 'must be decimal digits only' }],
  });
}
