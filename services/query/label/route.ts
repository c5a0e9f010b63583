import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { Type } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { labelIdentityBridge } from '../../../projections/contracts/seen/label-identity-bridge.ts';
import { frameDossier } from '../../../projections/engine/dossier.ts';
import { fromSource } from '../../../projections/engine/facet.ts';
import { byKey, byLookupKey, dossierLookup } from '../../../projections/engine/read-dossiers.ts';
import { unresolvedLabel } from '../../../projections/models/label/dossier.ts';
import { facets } from '../../../projections/models/label/facets/index.ts';
import { ErrorBody } from '../../http/errors.ts';
import { type EntityKey, requireEntityKey } from '../dossier/entity-key.ts';
import { GeneratedAt, identityHead, Provenance } from '../dossier/envelope-schema.ts';
import { dossierSender, sendDossier } from '../dossier/send-dossier.ts';
import type { QueryParts } from '../parts.ts';

/** A label dossier as served. */
export const LabelDossierBody = Type.Object(
  {
    ...identityHead('label', labelIdentityBridge),
    ...Object.fromEntries(facets.map(({ name, schema }) => [name, schema])),
    over_merge: Type.Optional(
      fromSource(
        labelIdentityBridge,
        Type.Object(
          {
            catalog_label_id_count: Type.Integer({
              minimum: 2,
              description: 'Number of catalogue labels that folded into the cluster.',
            }),
            folded: Type.Literal(true, { description: 'Always true: the cluster holds several labels.' }),
          },
          {
            description:
              'Present only if several catalogue labels folded into the cluster. Nothing in this dossier describes one of them alone.',
          },
        ),
      ),
    ),
    provenance: Provenance,
    generated_at: GeneratedAt,
  },
  { description: 'All data of one label by facet, with its provenance.' },
);

const schema = {
  tags: ['label'],
  response: { 200: LabelDossierBody, 304: Type.Null(), '4xx': ErrorBody, '5xx': ErrorBody },
};

export const labelRoutes: FastifyPluginCallbackTypebox<{ parts: QueryParts }> = (app, { parts }, done) => {
  const byClusterId = dossierLookup(parts.readPool, 'label-by-key', byKey('label'));
  const bySlug = dossierLookup(parts.readPool, 'label-by-slug', byLookupKey('label'));
  const sender = dossierSender(parts.staleness, parts.now);

  const respond = (
    request: FastifyRequest,
    reply: FastifyReply,
    { isCluster, value }: EntityKey,
  ): Promise<void> =>
    sendDossier(
      { request, reply },
      {
        sender,
        lookup: isCluster ? byClusterId : bySlug,
        key: isCluster ? `label:${value}` : value,
        absent: () => frameDossier(unresolvedLabel(value, isCluster), parts.registry),
      },
    );

  app.get(
    '/api/v2/label/:key',
    {
      config: { sendsStoredBytes: true, errors: ['invalid_label_key'] },
      schema: {
        ...schema,
        operationId: 'getLabel',
        summary: 'Label dossier, by label cluster id or slug',
        description:
          'Returns all facets of one label with their provenance. A label cluster id always resolves as observed and unverified. An unknown key returns 200 with identity null. over_merge is present only if several catalogue labels folded into the cluster. Co-ownership of fewer than 5 collectors is left out.',
        params: Type.Object({
          key: Type.String({ description: 'Label cluster id of 64 lower-case hex digits, or slug.' }),
        }),
      },
    },
    (request, reply) => respond(request, reply, parseLabelKey(request.params.key, 'key')),
  );

  app.get(
    '/api/v2/dossier/label/:slug',
    {
      config: { sendsStoredBytes: true, errors: ['invalid_label_key'] },
      schema: {
        ...schema,
        operationId: 'getLabelDossier',
        summary: 'Label dossier; the same as /api/v2/label/{key}',
        description:
          'Returns the same dossier as GET /api/v2/label/{key}, and takes the same keys. An unknown slug returns 200 with identity null.',
        params: Type.Object({
          slug: Type.String({ description: 'Slug, or label cluster id of 64 lower-case hex digits.' }),
        }),
      },
    },
    (request, reply) => respond(request, reply, parseLabelKey(request.params.slug, 'slug')),
  );

  done();
};

/** @throws ApiError `invalid_label_key` */
export const parseLabelKey = (text: string, param: string): EntityKey =>
  requireEntityKey(text, param, 'invalid_label_key');
