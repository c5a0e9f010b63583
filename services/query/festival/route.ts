import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { Type } from '@sinclair/typebox';
import { frameDossier } from '../../../projections/engine/dossier.ts';
import { bySurvivor, dossierLookup } from '../../../projections/engine/read-dossiers.ts';
import { orNull } from '../../../projections/engine/values.ts';
import { unresolvedFestival } from '../../../projections/models/festival/dossier.ts';
import { facets } from '../../../projections/models/festival/facets/index.ts';
import { ErrorBody, invalidParameter } from '../../http/errors.ts';
import { isName } from '../dossier/entity-key.ts';
import { ContractVersion, GeneratedAt, Provenance } from '../dossier/envelope-schema.ts';
import { dossierSender, sendDossier } from '../dossier/send-dossier.ts';
import type { QueryParts } from '../parts.ts';

/** A festival dossier as served. */
export const FestivalDossierBody = Type.Object(
  {
    contract_version: ContractVersion,
    grain: Type.Literal('festival', { description: 'What the dossier is about.' }),
    slug: Type.String({ description: "The festival's own slug, whatever name was requested." }),
    display: Type.String({
      description: "The festival's display name, or the slug if no source has a name.",
    }),
    id: orNull(
      Type.String({
        description: 'Festival id. Pass it on verbatim. Null if the key did not resolve.',
      }),
    ),
    ...Object.fromEntries(facets.map(({ name, schema }) => [name, schema])),
    provenance: Provenance,
    generated_at: GeneratedAt,
  },
  { description: 'All data of one festival by facet, with its provenance.' },
);

export const festivalRoutes: FastifyPluginCallbackTypebox<{ parts: QueryParts }> = (app, { parts }, done) => {
  const bySlug = dossierLookup(parts.readPool, 'festival-by-slug', bySurvivor('festival'));
  const sender = dossierSender(parts.staleness, parts.now);

  app.get(
    '/api/v2/dossier/festival/:slug',
    {
      config: { sendsStoredBytes: true, errors: ['invalid_query'] },
      schema: {
        tags: ['festival'],
        operationId: 'getFestivalDossier',
        summary: 'Festival dossier, by slug, merged slug or alias',
        description:
          'Returns one festival: its identity, its editions with line-ups, the newest first, and signals of its line-ups. A merged slug or an alias returns the surviving festival. An unknown slug returns 200 with identity null.',
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
      return sendDossier(
        { request, reply },
        {
          sender,
          lookup: bySlug,
          key: slug,
          absent: () => frameDossier(unresolvedFestival(slug), parts.registry),
        },
      );
    },
  );

  done();
};

/** Never part of a name; and NUL cannot be stored in a PostgreSQL text. */
const CONTROL_CHARACTER = /\p{Cc}/u;

/**
 * The slug as it is stored.
 *
 * @throws ApiError `invalid_query`
 */
function parseSlug(text: string): string {
  if (isName(text) && !CONTROL_CHARACTER.test(text)) return text.toLowerCase();
  throw invalidParameter('slug', 'must be 1 to 200 characters, not all blank, without control characters');
}
