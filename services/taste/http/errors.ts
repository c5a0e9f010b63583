import type { FastifyError } from 'fastify';
import { isTransient } from '../../../db/is-transient.ts';

interface CatalogueEntry {
  readonly status: number;
  /** Whether any route may answer so; else each route says that it does. */
  readonly isGeneral: boolean;
}

const of = (status: number, isGeneral = false): CatalogueEntry => ({ status, isGeneral });

/** Every error code this service answers with. The published contract lists the same ones. */
export const errorCatalogue = {
  code_invalid: of(400),
  token_invalid: of(401),
  token_expired: of(401),
  token_revoked: of(401),
  malformed_request: of(400, true),
  not_found: of(404, true),
  method_not_allowed: of(405, true),
  request_timeout: of(408, true),
  payload_too_large: of(413, true),
  unsupported_media_type: of(415, true),
  rate_limited: of(429, true),
  headers_too_large: of(431, true),
  internal_error: of(500, true),
  unavailable: of(503, true),
} as const satisfies Readonly<Record<string, CatalogueEntry>>;
export type TasteErrorCode = keyof typeof errorCatalogue;

export interface ErrorDetails {
  readonly allow?: string;
  readonly retryAfterSeconds?: number;
}

export class TasteError extends Error {
  override readonly name = 'TasteError';
  readonly code: TasteErrorCode;
  readonly details: ErrorDetails;

  constructor(code: TasteErrorCode, details: ErrorDetails = {}, cause?: Error) {
    super(code, cause === undefined ? {} : { cause });
    this.code = code;
    this.details = details;
  }

  get status(): number {
    return errorCatalogue[this.code].status;
  }
}

const RETRY_AFTER_SECONDS = 5;

const FRAMEWORK_CODES: Readonly<Record<string, TasteErrorCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_HANDLER_TIMEOUT: 'unavailable',
};

/** node-pg says it without a code; a server that has cancelled a statement says it by this SQLSTATE. */
const isOutOfTime = (thrown: Error & { code?: string }): boolean =>
  thrown.code === '57014' || thrown.message === 'Query read timeout';

/** A database that does not know this service, or that there is none of the name: so it is while either is being set up. */
const isShutOut = ({ code }: { code?: string }): boolean => /^(?:28|3D)/.test(code ?? '');

/** What was thrown, whoever threw it, as the error that the client is told. */
export function toTasteError(thrown: Error & Partial<FastifyError>): TasteError {
  if (thrown instanceof TasteError) return thrown;
  const code = FRAMEWORK_CODES[thrown.code ?? ''];
  const isAway = code === 'unavailable' || isOutOfTime(thrown) || isShutOut(thrown) || isTransient(thrown);
  if (isAway) return new TasteError('unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS }, thrown);
  if (code !== undefined) return new TasteError(code, {}, thrown);
  const isClientFault = thrown.code?.startsWith('FST_ERR_CTP') === true;
  return new TasteError(isClientFault ? 'malformed_request' : 'internal_error', {}, thrown);
}

export const errorBody = (code: TasteErrorCode): { error: { code: TasteErrorCode } } => ({ error: { code } });

/** The headers that go with an error. */
export function errorHeaders({ code, details }: TasteError): Record<string, string> {
  const { allow, retryAfterSeconds } = details;
  return {
    ...(allow === undefined ? {} : { allow }),
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
    ...(errorCatalogue[code].status === 401
      ? { 'www-authenticate': `Bearer realm="profile", error="invalid_token"` }
      : {}),
  };
}
