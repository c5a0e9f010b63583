import { type FastifyPluginCallbackTypebox, Type } from '@fastify/type-provider-typebox';
import { ErrorBody, invalidParameter } from '../errors.ts';
import type { QueryParts } from '../parts.ts';
import { NoQuery } from '../schemas/no-query.ts';
import { StorefrontReleaseBody } from '../schemas/storefront.ts';
import { isName } from '../serving/entity-key.ts';
import { underArtist } from '../serving/under-artist.ts';

const ABSENT = { object: 'storefront.release', present: false, release: null } as const;

export const storefrontRoutes: FastifyPluginCallbackTypebox<{ parts: QueryParts }> = (
  app,
  { parts },
  done,
) => {
  const answer = underArtist(parts, 'storefront-release', parseItem, ABSENT);

  app.get(
    '/api/v2/artist/:key/storefront/:item',
    {
      config: { sendsStoredBytes: true },
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
    (request, reply) => answer(request, reply, request.params.key, request.params.item),
  );

  done();
};

/** @throws ApiError `invalid_query` */
function parseItem(text: string): string {
  if (isName(text)) return text;
  throw invalidParameter('item', 'must be 1 to 200 characters, not all of them white space');
}
