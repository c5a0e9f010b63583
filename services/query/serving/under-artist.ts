import type { FastifyReply, FastifyRequest } from 'fastify';
import { byAddress, dossierLookup, underArtistSlug } from '../../../projections/read-dossiers.ts';
import type { QueryParts } from '../parts.ts';
import { answerDossier } from './answer-dossier.ts';
import { parseArtistKey } from './artist-key.ts';
import { dossierSender } from './dossier-sender.ts';

/**
 * Answers with what a projection files under an artist, as `<artist>/<id>`.
 *
 * @param parseId the id as it is stored; throws where it cannot be one
 * @param absent the answer where the artist has no such thing
 */
export function underArtist(
  { readPool, staleness, now }: QueryParts,
  projection: string,
  parseId: (text: string) => string,
  absent: Readonly<Record<string, unknown>>,
): (request: FastifyRequest, reply: FastifyReply, key: string, id: string) => Promise<void> {
  const byCluster = dossierLookup(readPool, `${projection}-by-cluster`, byAddress(projection));
  const bySlug = dossierLookup(readPool, `${projection}-by-slug`, underArtistSlug(projection));
  const sender = dossierSender(staleness, now);
  return (request, reply, key, id) => {
    const { isCluster, value } = parseArtistKey(key, 'key');
    return answerDossier(
      { request, reply, sender },
      isCluster ? byCluster : bySlug,
      `${isCluster ? `artist:${value}` : value}/${parseId(id)}`,
      () => absent,
    );
  };
}
