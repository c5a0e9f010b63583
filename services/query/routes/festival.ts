import { type FastifyPluginCallbackTypebox, Type } from '@fastify/type-provider-typebox';
import { frameDossier } from '../../../projections/dossier.ts';
import { unresolvedFestival } from '../../../projections/festival/dossier.ts';
import { bySurvivor, dossierLookup } from '../../../projections/read-dossiers.ts';
import { ErrorBody, invalidParameter } from '../errors.ts';
import type { QueryParts } from '../parts.ts';
import { FestivalDossierBody } from '../schemas/festival.ts';
import { NoQuery } from '../schemas/no-query.ts';
import { answerDossier } from '../serving/answer-dossier.ts';
import { dossierSender } from '../serving/dossier-sender.ts';
import { isName } from '../serving/entity-key.ts';

export const festivalRoutes: FastifyPluginCallbackTypebox<{ parts: QueryParts }> = (app, { parts }, done) => {
  const bySlug = dossierLookup(parts.readPool, 'festival-by-slug', bySurvivor('festival'));
  const sender = dossierSender(parts.staleness, parts.now);

  app.get(
    '/api/v2/dossier/festival/:slug',
    {
      config: { sendsStoredBytes: true },
      schema: {
        tags: ['festival'],
        operationId: 'getFestivalDossier',
        summary: 'Festival dossier, by slug, merged slug or alias',
        querystring: NoQuery,
        params: Type.Object({
          slug: Type.String({
            description: 'Slug, merged slug or alias of 1 to 200 characters, in either case.',
          }),
        }),
        response: { 200: FestivalDossierBody, 304: Type.Null(), '4xx': ErrorBody, '5xx': ErrorBody },
      },
    },
    (request, reply) => {
      const slug = parseSlug(request.params.slug);
      return answerDossier({ request, reply, sender }, bySlug, slug, () =>
        frameDossier(unresolvedFestival(slug), parts.registry),
      );
    },
  );

  done();
};

/** Never part of a name; and the database's text cannot hold the first of them. */
const CONTROL_CHARACTER = /\p{Cc}/u;

/**
 * The slug as it is looked up.
 *
 * @throws ApiError `invalid_query`
 */
function parseSlug(text: string): string {
  if (isName(text) && !CONTROL_CHARACTER.test(text)) return text.toLowerCase();
  throw invalidParameter(
    'slug',
    'must be text of 1 to 200 characters, not all blank, without control characters',
  );
}
