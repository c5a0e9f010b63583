import { gunzipSync, gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { StoredDossier } from '../../../projections/artist/read.ts';
import { prepareSeal, type Seal, sealFrame } from '../../../projections/frame/frame.ts';
import { isoSecond } from '../../../projections/provenance.ts';
import { prefersGzip } from './accept-encoding.ts';
import { matchesEtag, weakEtag } from './etag.ts';
import type { FieldSelection } from './fields.ts';
import type { Staleness } from './staleness.ts';

/** Answers a request with a stored dossier, whole or only the members that were asked for. */
export type SendDossier = (
  request: FastifyRequest,
  reply: FastifyReply,
  stored: StoredDossier,
  selection: FieldSelection | null,
) => void;

/** Below this a compressed answer fits no fewer packets. */
const WORTH_GZIP_BYTES = 1_024;

/**
 * @param envelope members that every answer keeps
 * @param now milliseconds since 1970
 */
export function dossierSender(
  envelope: ReadonlySet<string>,
  staleness: () => Staleness,
  now: () => number,
): SendDossier {
  const sealOf = sealMaker(now);
  return (request, reply, stored, selection) => {
    const current = staleness();
    const hash = stored.hash.toString('hex');
    const etag =
      selection === null ? weakEtag(hash, current.tag) : weakEtag(hash, current.tag, selection.tag);
    reply.header('etag', etag);
    reply.header('cache-control', 'private, no-cache');
    reply.header('vary', 'Accept-Encoding');
    if (matchesEtag(request.headers['if-none-match'], etag)) {
      reply.code(304).send();
      return;
    }

    reply.header('content-type', 'application/json; charset=utf-8');
    const sealed = sealFrame(stored.frame, sealOf(current));
    const isGzip = prefersGzip(request.headers['accept-encoding']);
    if (selection === null) {
      if (isGzip) reply.header('content-encoding', 'gzip');
      reply.send(isGzip ? sealed : gunzipSync(sealed));
      return;
    }
    const selected = selectMembers(gunzipSync(sealed), envelope, selection.names);
    const isWorthGzip = isGzip && selected.length >= WORTH_GZIP_BYTES;
    if (isWorthGzip) reply.header('content-encoding', 'gzip');
    reply.send(isWorthGzip ? gzipSync(selected) : selected);
  };
}

/** Makes a seal anew only when the second or the staleness is another. */
function sealMaker(now: () => number): (staleness: Staleness) => Seal {
  let sealed: {
    readonly seal: Seal;
    readonly second: number;
    readonly staleness: Staleness;
  } | null = null;
  return (staleness) => {
    const second = Math.floor(now() / 1000);
    if (sealed === null || sealed.second !== second || sealed.staleness !== staleness) {
      sealed = {
        seal: prepareSeal(isoSecond(second * 1000), staleness.isStale),
        second,
        staleness,
      };
    }
    return sealed.seal;
  };
}

function selectMembers(json: Buffer, envelope: ReadonlySet<string>, names: ReadonlySet<string>): Buffer {
  const dossier: Record<string, unknown> = JSON.parse(json.toString());
  const kept = Object.entries(dossier).filter(([name]) => envelope.has(name) || names.has(name));
  return Buffer.from(JSON.stringify(Object.fromEntries(kept)));
}
