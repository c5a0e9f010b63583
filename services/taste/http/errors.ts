import { Type } from '@sinclair/typebox';
import type { FastifyError } from 'fastify';
import { isTransient } from '../../../db/is-transient.ts';
import { type ErrorContext, HttpError } from '../../http/errors.ts';

const closed = { additionalProperties: false };

interface CatalogueEntry {
  readonly status: number;
  /** Whether every route may respond with it; otherwise each route declares it. */
  readonly isGeneral: boolean;
}

const of = (status: number, isGeneral = false): CatalogueEntry => ({ status, isGeneral });

/** The error codes of this service. The published contract lists the same ones. */
export const tasteErrorCatalogue = {
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
export type TasteErrorCode = keyof typeof tasteErrorCatalogue;

export class TasteError extends HttpError<TasteErrorCode> {
  override readonly name = 'TasteError';
  override readonly challenge = 'Bearer realm="profile", error="invalid_token"';

  constructor(code: TasteErrorCode, context: ErrorContext = {}, cause?: Error) {
    super(code, code, { context, cause });
  }

  override get status(): number {
    return tasteErrorCatalogue[this.code].status;
  }
}

const RETRY_AFTER_SECONDS = 5;

const FRAMEWORK_CODES: Readonly<Record<string, TasteErrorCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_HANDLER_TIMEOUT: 'unavailable',
};

/** The SQLSTATE of a cancelled statement, and the error of node-pg, which has no code. */
const isTimeout = (thrown: Error & { code?: string }): boolean =>
  thrown.code === '57014' || thrown.message === 'Query read timeout';

/** The database, or the service's access to it, is still being set up. */
const isLoginRejected = ({ code }: { code?: string }): boolean => /^(?:28|3D)/.test(code ?? '');

/** The error response for anything that is thrown. */
export function toTasteError(thrown: Error & Partial<FastifyError>): TasteError {
  if (thrown instanceof TasteError) return thrown;
  const code = FRAMEWORK_CODES[thrown.code ?? ''];
  const isUnavailable =
    code === 'unavailable' || isTimeout(thrown) || isLoginRejected(thrown) || isTransient(thrown);
  if (isUnavailable) return new TasteError('unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS }, thrown);
  if (code !== undefined) return new TasteError(code, {}, thrown);
  const isClientFault = thrown.code?.startsWith('FST_ERR_CTP') === true;
  return new TasteError(isClientFault ? 'malformed_request' : 'internal_error', {}, thrown);
}

/** Body of every error that is not a page. */
export const TasteErrorBody = Type.Object(
  {
    error: Type.Object(
      { code: Type.String({ pattern: `^(?:${Object.keys(tasteErrorCatalogue).join('|')})$` }) },
      closed,
    ),
  },
  closed,
);

export const tasteErrorBody = (code: TasteErrorCode): { error: { code: TasteErrorCode } } => ({
  error: { code },
});
