import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { type Static, Type } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { artistIdentityBridge } from '../../../projections/contracts/seen/artist-identity-bridge.ts';
import { type Dossier, frameDossier } from '../../../projections/engine/dossier.ts';
import { byKey, byLookupKey, dossierLookup } from '../../../projections/engine/read-dossiers.ts';
import { unresolvedArtist } from '../../../projections/models/artist/dossier.ts';
import { facets } from '../../../projections/models/artist/facets/index.ts';
import { nearArtistLookup } from '../../../projections/models/identity/read.ts';
import { ErrorBody } from '../../http/errors.ts';
import type { EntityKey } from '../dossier/entity-key.ts';
import { GeneratedAt, identityHead, Provenance } from '../dossier/envelope-schema.ts';
import { parseFields } from '../dossier/fields.ts';
import { dossierSender, sendDossier } from '../dossier/send-dossier.ts';
import type { QueryParts } from '../parts.ts';
import { similarNamesLimit } from '../resolve/resolve.ts';
import { candidatesOf } from '../resolve/schema.ts';
import { ARTIST_KEY_ERRORS, parseArtistKey } from './artist-key.ts';

/** Members of every artist dossier, whatever `fields` selects. */
const envelopeNames: ReadonlySet<string> = new Set([
  'contract_version',
  'grain',
  'slug',
  'display',
  'id',
  'cluster_id',
  'resolved_via',
  'identity',
  'generated_at',
  '_links',
  'candidates',
]);

const facetSchemas = Object.fromEntries(
  facets.map(({ name, schema }) => [name, envelopeNames.has(name) ? schema : Type.Optional(schema)]),
);

/** An artist dossier as served. Facets are optional because `fields` may leave them out. */
export const ArtistDossierBody = Type.Object(
  {
    ...identityHead('artist', artistIdentityBridge),
    _links: Type.Object(
      {
        self: Type.String({ description: 'Path of this dossier.' }),
        cluster: Type.Optional(
          Type.String({ description: 'Path of the dossier of the cluster bound to this catalogue artist.' }),
        ),
        catalog: Type.Optional(
          Type.String({
            description:
              "Path of the catalogue's dossier of this artist; absent if the cluster is not bound to one artist authoritatively.",
          }),
        ),
      },
      { description: 'Onward paths.' },
    ),
    ...facetSchemas,
    provenance: Type.Optional(Provenance),
    generated_at: GeneratedAt,
  },
  {
    description: 'All data of one artist by facet, with its provenance.',
  },
);

/** What the routes send: a dossier, or that of an unknown slug with its candidates. */
export const ArtistResponseBody = Type.Object(
  {
    ...ArtistDossierBody.properties,
    candidates: Type.Optional(candidatesOf('the slug, if it is unknown')),
  },
  { description: ArtistDossierBody.description ?? '' },
);

const ArtistQuery = Type.Object(
  {
    fields: Type.Optional(
      Type.String({
        description: 'Facets to return, separated by commas. The envelope is always returned.',
      }),
    ),
  },
  { additionalProperties: false },
);

const schema = {
  tags: ['artist'],
  querystring: ArtistQuery,
  response: {
    200: ArtistResponseBody,
    304: Type.Null(),
    '4xx': ErrorBody,
    '5xx': ErrorBody,
  },
};

const config = { sendsStoredBytes: true, errors: [...ARTIST_KEY_ERRORS, 'invalid_fields'] as const };

export const artistRoutes: FastifyPluginCallbackTypebox<{
  parts: QueryParts;
}> = (app, { parts }, done) => {
  const byClusterId = dossierLookup(parts.readPool, 'artist-by-key', byKey('artist'));
  const bySlug = dossierLookup(parts.readPool, 'artist-by-slug', byLookupKey('artist'));
  const sender = dossierSender(parts.staleness, parts.now, envelopeNames);

  const similarNames = nearArtistLookup(parts.readPool, similarNamesLimit);

  async function absentArtist(key: string, isCluster: boolean): Promise<Dossier> {
    const dossier = unresolvedArtist(key, isCluster);
    if (isCluster) return dossier;
    // An unknown slug is a response without data whatever becomes of the suggestions.
    const candidates = await similarNames(key.replaceAll('-', ' ')).catch((error: unknown) => {
      parts.log.warn({ err: error }, 'cannot look up similar names');
      return [];
    });
    return { ...dossier, members: { ...dossier.members, candidates } };
  }

  const respond = (
    request: FastifyRequest<{ Querystring: Static<typeof ArtistQuery> }>,
    reply: FastifyReply,
    { isCluster, value }: EntityKey,
  ): Promise<void> => {
    const { fields } = request.query;
    return sendDossier(
      { request, reply },
      {
        sender,
        lookup: isCluster ? byClusterId : bySlug,
        key: isCluster ? `artist:${value}` : value,
        absent: async () => frameDossier(await absentArtist(value, isCluster), parts.registry),
        selection: fields === undefined ? null : parseFields(fields, request.url.split('?', 1)[0] ?? ''),
      },
    );
  };

  app.get(
    '/api/v2/artist/:key',
    {
      config,
      schema: {
        ...schema,
        operationId: 'getArtist',
        summary: 'Artist dossier, by cluster id or slug',
        description:
          'Returns all facets of one artist with their provenance; fields selects some of them. A slug enters the catalog lane if an artist of the release catalogue owns it, else the cluster lane, whose data is unverified. A cluster id always enters the cluster lane. An unknown key returns 200 with identity null; for a slug, candidates lists similar names.',
        params: Type.Object({
          key: Type.String({
            description: 'Cluster id of 64 lower-case hex digits, or slug.',
          }),
        }),
      },
    },
    (request, reply) => respond(request, reply, parseArtistKey(request.params.key, 'key')),
  );

  app.get(
    '/api/v2/dossier/artist/:slug',
    {
      config,
      schema: {
        ...schema,
        operationId: 'getArtistDossier',
        summary: 'Artist dossier; the same as /api/v2/artist/{key}',
        description:
          'Returns the same dossier as GET /api/v2/artist/{key}, and takes the same keys and fields. An unknown slug returns 200 with identity null and candidates with similar names.',
        params: Type.Object({
          slug: Type.String({
            description: 'Slug, or cluster id of 64 lower-case hex digits.',
          }),
        }),
      },
    },
    (request, reply) => respond(request, reply, parseArtistKey(request.params.slug, 'slug')),
  );

  done();
};
