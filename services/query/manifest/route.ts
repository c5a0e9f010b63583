import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { CONTRACT_VERSION } from '../../../projections/engine/contract-version.ts';
import { isoSecond } from '../../../projections/engine/provenance.ts';
import { ErrorBody } from '../../http/errors.ts';
import type { QueryParts } from '../parts.ts';
import { manifestGrains, UNAVAILABLE_GRAINS } from './manifest.ts';
import { ManifestBody } from './schema.ts';

/** The data dictionary; it changes only with the deployed code. */
export const manifestRoutes: FastifyPluginCallbackTypebox<{ parts: QueryParts }> = (app, { parts }, done) => {
  const grains = manifestGrains();
  app.get(
    '/api/v2/dossier/manifest',
    {
      schema: {
        operationId: 'getDossierManifest',
        summary: 'Data dictionary: every field of every dossier, and its source',
        description:
          'Lists every field of artist, label and festival dossiers with its type, its meaning and its source. It changes only with a release of the service. unavailable_grains names what has no dossier of its own.',
        tags: ['dossier'],
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
