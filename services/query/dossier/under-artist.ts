import type { FastifyReply, FastifyRequest } from 'fastify';
import { byLookupKey, dossierLookup, underArtistSlug } from '../../../projections/engine/read-dossiers.ts';
import { parseArtistKey } from '../artist/artist-key.ts';
import type { QueryParts } from '../parts.ts';
import { dossierSender, sendDossier } from './send-dossier.ts';

interface UnderArtistParams {
  /** The artist's cluster id or slug. */
  readonly key: string;
  readonly id: string;
}

interface UnderArtistOptions {
  readonly projection: string;
  readonly parseId: (text: string) => string;
  readonly absent: Readonly<Record<string, unknown>>;
}

/**
 * Makes the handler of a route under an artist, whose documents are stored as `<artist>/<id>`.
 *
 * @param options.parseId the id as it is stored; throws if the text is not an id
 * @param options.absent the response if the artist has no such document
 */
export function underArtist(
  { readPool, staleness, now }: QueryParts,
  { projection, parseId, absent }: UnderArtistOptions,
): (request: FastifyRequest, reply: FastifyReply, params: UnderArtistParams) => Promise<void> {
  const byCluster = dossierLookup(readPool, `${projection}-by-cluster`, byLookupKey(projection));
  const bySlug = dossierLookup(readPool, `${projection}-by-slug`, underArtistSlug(projection));
  const sender = dossierSender(staleness, now);
  return (request, reply, { key, id }) => {
    const { isCluster, value } = parseArtistKey(key, 'key');
    return sendDossier(
      { request, reply },
      {
        sender,
        lookup: isCluster ? byCluster : bySlug,
        key: `${isCluster ? `artist:${value}` : value}/${parseId(id)}`,
        absent: () => absent,
      },
    );
  };
}
