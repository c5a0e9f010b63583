import type { FastifyReply, FastifyRequest } from 'fastify';
import type { StoredDossier } from '../../../projections/dossier.ts';
import type { DossierLookup } from '../../../projections/read-dossiers.ts';
import type { DossierSender } from './dossier-sender.ts';
import type { FieldSelection } from './fields.ts';

/**
 * Answers a request with the dossier that is asked for, or with 304 where the client holds it already.
 *
 * @param absent the answer where there is none
 */
export async function answerDossier(
  { request, reply, sender }: { request: FastifyRequest; reply: FastifyReply; sender: DossierSender },
  lookup: DossierLookup,
  asked: string,
  absent: () => StoredDossier | Readonly<Record<string, unknown>>,
  selection: FieldSelection | null = null,
): Promise<void> {
  // A client that holds the dossier may be answered without reading it.
  if (request.headers['if-none-match'] !== undefined) {
    const hash = await lookup.hash(asked);
    if (hash !== null && !reply.sent && sender.sendUnchanged(request, reply, hash, selection)) return;
  }
  const stored = (await lookup.dossier(asked)) ?? absent();
  // The deadline may have answered meanwhile.
  if (reply.sent) return;
  if (isStored(stored)) sender.send(request, reply, stored, selection);
  else sender.sendAbsence(request, reply, stored);
}

const isStored = (answer: StoredDossier | Readonly<Record<string, unknown>>): answer is StoredDossier =>
  Buffer.isBuffer(answer.frame);
