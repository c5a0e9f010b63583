import { type FastifyPluginCallbackTypebox, Type } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { frameDossier } from '../../../projections/dossier.ts';
import { unresolvedLabel } from '../../../projections/label/dossier.ts';
import { byAddress, byKey, dossierLookup } from '../../../projections/read-dossiers.ts';
import { ErrorBody } from '../errors.ts';
import type { QueryParts } from '../parts.ts';
import { LabelDossierBody } from '../schemas/label.ts';
import { NoQuery } from '../schemas/no-query.ts';
import { answerDossier } from '../serving/answer-dossier.ts';
import { dossierSender } from '../serving/dossier-sender.ts';
import type { EntityKey } from '../serving/entity-key.ts';
import { parseLabelKey } from '../serving/label-key.ts';

const schema = {
  tags: ['label'],
  querystring: NoQuery,
  response: { 200: LabelDossierBody, 304: Type.Null(), '4xx': ErrorBody, '5xx': ErrorBody },
};

export const labelRoutes: FastifyPluginCallbackTypebox<{ parts: QueryParts }> = (app, { parts }, done) => {
  const byClusterId = dossierLookup(parts.readPool, 'label-by-key', byKey('label'));
  const bySlug = dossierLookup(parts.readPool, 'label-by-slug', byAddress('label'));
  const sender = dossierSender(parts.staleness, parts.now);

  const answer = (
    request: FastifyRequest,
    reply: FastifyReply,
    { isCluster, value }: EntityKey,
  ): Promise<void> =>
    answerDossier(
      { request, reply, sender },
      isCluster ? byClusterId : bySlug,
      isCluster ? `label:${value}` : value,
      () => frameDossier(unresolvedLabel(value, isCluster), parts.registry),
    );

  app.get(
    '/api/v2/label/:key',
    {
      config: { sendsStoredBytes: true },
      schema: {
        ...schema,
        operationId: 'getLabel',
        summary: 'Label dossier, by label cluster id or slug',
        params: Type.Object({
          key: Type.String({ description: 'Label cluster id of 64 hex digits, or slug.' }),
        }),
      },
    },
    (request, reply) => answer(request, reply, parseLabelKey(request.params.key, 'key')),
  );

  app.get(
    '/api/v2/dossier/label/:slug',
    {
      config: { sendsStoredBytes: true },
      schema: {
        ...schema,
        operationId: 'getLabelDossier',
        summary: 'Label dossier; the same as /api/v2/label/{key}',
        params: Type.Object({
          slug: Type.String({ description: 'Slug, or label cluster id of 64 hex digits.' }),
        }),
      },
    },
    (request, reply) => answer(request, reply, parseLabelKey(request.params.slug, 'slug')),
  );

  done();
};
