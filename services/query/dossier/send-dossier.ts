import { gunzipSync, gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { StoredDossier } from '../../../projections/engine/dossier.ts';
import { prepareSeal, type Seal, sealFrame } from '../../../projections/engine/frame/frame.ts';
import { isoSecond } from '../../../projections/engine/provenance.ts';
import type { DossierLookup } from '../../../projections/engine/read-dossiers.ts';
import { prefersGzip } from '../../http/accept-encoding.ts';
import { contentEtag, matchesEtag, weakEtag } from '../../http/etag.ts';
import { JSON_TYPE } from '../../http/json-type.ts';
import type { FieldSelection } from './fields.ts';
import type { Staleness } from './staleness.ts';

/** A request and its reply. */
interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

interface DossierRequest {
  readonly sender: DossierSender;
  readonly lookup: DossierLookup;
  readonly key: string;
  /** The response if there is no such dossier. */
  readonly absent: () => Absence | Promise<Absence>;
  readonly selection?: FieldSelection | null;
}

/**
 * Sends the dossier of a lookup key, or 304 if the client already has it.
 */
export async function sendDossier(
  exchange: Exchange,
  { sender, lookup, key, absent, selection = null }: DossierRequest,
): Promise<void> {
  const { request, reply } = exchange;
  // The hash alone decides whether the client needs the dossier.
  if (request.headers['if-none-match'] !== undefined) {
    const hash = await lookup.hash(key);
    if (hash !== null && !reply.sent && sender.sendUnchanged(exchange, hash, selection)) return;
  }
  const stored = (await lookup.dossier(key)) ?? (await absent());
  // The request deadline may have responded meanwhile.
  if (reply.sent) return;
  if (isStored(stored)) sender.send(exchange, stored, selection);
  else sender.sendAbsence(exchange, stored);
}

type Absence = StoredDossier | Readonly<Record<string, unknown>>;

const isStored = (body: Absence): body is StoredDossier => Buffer.isBuffer(body.frame);

export interface DossierSender {
  /** Sends a stored dossier, whole or only the selected members. */
  send(exchange: Exchange, stored: StoredDossier, selection: FieldSelection | null): void;
  /** Sends 304 and returns true if the client has the dossier of this hash; else returns false. */
  sendUnchanged(exchange: Exchange, hash: Buffer, selection: FieldSelection | null): boolean;
  /** Sends the response for a missing dossier. */
  sendAbsence(exchange: Exchange, absence: Readonly<Record<string, unknown>>): void;
}

const NOTHING: ReadonlySet<string> = new Set();

/** A smaller response needs no fewer packets when compressed. */
const WORTH_GZIP_BYTES = 1_024;

/**
 * @param now milliseconds since 1970
 * @param envelope members that every response keeps, whatever the selection
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

  const sendUnchanged: DossierSender['sendUnchanged'] = ({ request, reply }, hash, selection) => {
    const ifNoneMatch = request.headers['if-none-match'];
    if (ifNoneMatch === undefined) return false;
    const etag = etagOf(hash, selection);
    if (!matchesEtag(ifNoneMatch, etag)) return false;
    setValidators(reply, etag);
    reply.code(304).send();
    return true;
  };

  const send: DossierSender['send'] = (exchange, stored, selection) => {
    if (sendUnchanged(exchange, stored.hash, selection)) return;
    const { request, reply } = exchange;
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

  const sendAbsence: DossierSender['sendAbsence'] = ({ request, reply }, absence) => {
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

/** Reuses a seal until the second or the staleness changes. */
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
