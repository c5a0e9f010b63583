import { gunzipSync, gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { StoredDossier } from '../../../projections/dossier.ts';
import { prepareSeal, type Seal, sealFrame } from '../../../projections/frame/frame.ts';
import { isoSecond } from '../../../projections/provenance.ts';
import { JSON_TYPE } from '../../http/json-type.ts';
import { prefersGzip } from './accept-encoding.ts';
import { contentEtag, matchesEtag, weakEtag } from './etag.ts';
import type { FieldSelection } from './fields.ts';
import type { Staleness } from './staleness.ts';

export interface DossierSender {
  /** Answers a request with a stored dossier, whole or only the members that were asked for. */
  send(
    request: FastifyRequest,
    reply: FastifyReply,
    stored: StoredDossier,
    selection: FieldSelection | null,
  ): void;
  /** Answers 304 where the client holds the dossier of this hash; else says false and answers nothing. */
  sendUnchanged(
    request: FastifyRequest,
    reply: FastifyReply,
    hash: Buffer,
    selection: FieldSelection | null,
  ): boolean;
  /** Answers with what is said where there is no dossier. */
  sendAbsence(request: FastifyRequest, reply: FastifyReply, absence: Readonly<Record<string, unknown>>): void;
}

const NOTHING: ReadonlySet<string> = new Set();

/** Below this a compressed answer fits no fewer packets. */
const WORTH_GZIP_BYTES = 1_024;

/**
 * @param now milliseconds since 1970
 * @param envelope members that an answer keeps, whatever others were asked for
 */
export function dossierSender(
  staleness: () => Staleness,
  now: () => number,
  envelope: ReadonlySet<string> = NOTHING,
): DossierSender {
  const sealOf = sealMaker(now);

  const etagOf = (hash: Buffer, selection: FieldSelection | null): string => {
    const { tag } = staleness();
    return selection === null
      ? weakEtag(hash.toString('hex'), tag)
      : weakEtag(hash.toString('hex'), tag, selection.tag);
  };

  const sendUnchanged: DossierSender['sendUnchanged'] = (request, reply, hash, selection) => {
    const asked = request.headers['if-none-match'];
    if (asked === undefined) return false;
    const etag = etagOf(hash, selection);
    if (!matchesEtag(asked, etag)) return false;
    setValidators(reply, etag);
    reply.code(304).send();
    return true;
  };

  const send: DossierSender['send'] = (request, reply, stored, selection) => {
    if (sendUnchanged(request, reply, stored.hash, selection)) return;
    setValidators(reply, etagOf(stored.hash, selection));
    reply.header('content-type', JSON_TYPE);
    const sealed = sealFrame(stored.frame, sealOf(staleness()));
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

  const sendAbsence: DossierSender['sendAbsence'] = (request, reply, absence) => {
    const json = JSON.stringify(absence);
    const etag = contentEtag(json);
    setValidators(reply, etag);
    if (matchesEtag(request.headers['if-none-match'], etag)) reply.code(304).send();
    else reply.header('content-type', JSON_TYPE).send(json);
  };

  return { send, sendUnchanged, sendAbsence };
}

function setValidators(reply: FastifyReply, etag: string): void {
  reply.header('etag', etag);
  reply.header('cache-control', 'private, no-cache');
  reply.header('vary', 'Accept-Encoding');
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
