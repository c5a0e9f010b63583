import { type FastifyPluginCallbackTypebox, Type } from '@fastify/type-provider-typebox';
import { byAddress, dossierLookup, underArtistSlug } from '../../../projections/read-dossiers.ts';
import { ApiError, ErrorBody } from '../errors.ts';
import type { QueryParts } from '../parts.ts';
import { NoQuery } from '../schemas/no-query.ts';
import { StorefrontReleaseBody } from '../schemas/storefront.ts';
import { answerDossier } from '../serving/answer-dossier.ts';
import { parseArtistKey } from '../serving/artist-key.ts';
import { dossierSender } from '../serving/dossier-sender.ts';
import { isName } from '../serving/entity-key.ts';

const VIEW = 'storefront_release';

const ABSENT = { object: 'storefront.release', present: false, release: null } as const;

export const storefrontRoutes: FastifyPluginCallbackTypebox<{ parts: QueryParts }> = (
  app,
  { parts },
  done,
) => {
  const underCluster = dossierLookup(parts.readPool, 'storefront-release-by-cluster', byAddress(VIEW));
  const underSlug = dossierLookup(parts.readPool, 'storefront-release-by-slug', underArtistSlug(VIEW));
  const sender = dossierSender(parts.staleness, parts.now);

  app.get(
    '/api/v2/artist/:key/storefront/:item',
    {
      schema: {
        operationId: 'getArtistStorefrontRelease',
        summary: 'One storefront release of an artist',
        tags: ['artist'],
        querystring: NoQuery,
        params: Type.Object({
          key: Type.String({ description: 'Cluster id of 64 hex digits, or slug.' }),
          item: Type.String({
            description: "Storefront item id, as the artist's storefront_releases give it; case matters.",
          }),
        }),
        response: { 200: StorefrontReleaseBody, 304: Type.Null(), '4xx': ErrorBody, '5xx': ErrorBody },
      },
    },
    async (request, reply) => {
      const { isCluster, value } = parseArtistKey(request.params.key, 'key');
      const item = parseItem(request.params.item);
      reply.header('cache-control', 'private, no-cache');
      if (!isStorable(item)) return reply.send(ABSENT);
      return answerDossier(
        { request, reply, sender },
        isCluster ? underCluster : underSlug,
        `${isCluster ? `artist:${value}` : value}/${item}`,
        () => ABSENT,
      );
    },
  );

  done();
};

/** @throws ApiError `invalid_query` */
function parseItem(text: string): string {
  if (isName(text)) return text;
  const message = 'must be 1 to 200 characters, not all of them white space';
  throw new ApiError('invalid_query', { param: 'item', details: [{ path: 'item', message }] });
}

/** No text in the database holds a NUL, and none may be asked for. */
const isStorable = (item: string): boolean => !item.includes('\0');
