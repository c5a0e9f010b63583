import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { CONTRACT_VERSION } from '../../../projections/contract-version.ts';
import { isoSecond } from '../../../projections/provenance.ts';
import { ErrorBody } from '../errors.ts';
import type { QueryParts } from '../parts.ts';
import { ManifestBody } from '../schemas/manifest.ts';
import { NoQuery } from '../schemas/no-query.ts';
import { manifestGrains, UNAVAILABLE_GRAINS } from '../serving/manifest.ts';

/** The data dictionary; it changes with the deployed code only. */
export const manifestRoutes: FastifyPluginCallbackTypebox<{ parts: QueryParts }> = (app, { parts }, done) => {
  const grains = manifestGrains();
  app.get(
    '/api/v2/dossier/manifest',
    {
      schema: {
        operationId: 'getDossierManifest',
        summary: 'Data dictionary: every field of every dossier, and where it comes from',
        tags: ['dossier'],
        querystring: NoQuery,
        response: { 200: ManifestBody, '4xx': ErrorBody, '5xx': ErrorBody },
      },
    },
    (_request, reply) => {
      reply.header('cache-control', 'private, max-age=300');
      return {
        contract_version: CONTRACT_VERSION,
        unavailable_grains: [...UNAVAILABLE_GRAINS],
        grains,
        generated_at: isoSecond(parts.now()),
      };
    },
  );
  done();
};
