import type { components, ErrorCode } from './api.ts';
import { retryAfterOf } from './retry-after.ts';

type ErrorBody = components['schemas']['Error'];

/** One invalid member of a request. */
export interface ErrorDetail {
  readonly path: string;
  readonly message: string;
}

/**
 * Failures that the service has no code for. `network_error`: no complete response arrived. `timed_out`: none arrived in
 * time. `unreadable_answer`: the response is not from the service. `degraded`: the service could not read a page.
 */
export type ClientErrorCode = 'network_error' | 'timed_out' | 'unreadable_answer' | 'degraded';

interface ErrorFields {
  readonly code: LinernotesError['code'];
  readonly message: string;
  readonly status?: number;
  readonly body?: Partial<ErrorBody>;
  readonly requestId?: string | null;
  readonly retryAfter?: number | null;
  readonly cause?: unknown;
}

/** A failed request. Branch on `code`; several codes share a status. */
export class LinernotesError extends Error {
  override readonly name = 'LinernotesError';
  /** A code of the service or of this client. The service may add codes. */
  readonly code: ErrorCode | ClientErrorCode | (string & {});
  /** HTTP status; null if no response arrived. */
  readonly status: number | null;
  /** How to correct the request. */
  readonly hint: string | null;
  /** URL of the explanation of the code. */
  readonly docUrl: string | null;
  /** The invalid parameter. */
  readonly param: string | null;
  /** A corrected URL, ready to call. */
  readonly next: string | null;
  /** Every invalid member. */
  readonly details: readonly ErrorDetail[];
  /** Id of the request; quote it in reports. */
  readonly requestId: string | null;
  /** Seconds to wait before sending the same request again. */
  readonly retryAfter: number | null;
  /** The body of the response, parsed. */
  readonly body: unknown;

  constructor({ code, message, status, body, requestId, retryAfter, cause }: ErrorFields) {
    super(message, { cause });
    this.code = code;
    this.status = status ?? null;
    this.hint = body?.hint ?? null;
    this.docUrl = body?.doc_url ?? null;
    this.param = body?.param ?? null;
    this.next = body?.next ?? null;
    // Beacons have details of another form, which stay in body.
    this.details = Array.isArray(body?.details) ? body.details : [];
    this.requestId = requestId ?? null;
    this.retryAfter = retryAfter ?? null;
    this.body = body ?? null;
  }
}

/** The error of a response with status 400 or above. */
export function errorOf(response: Response, text: string): LinernotesError {
  const body = errorBodyOf(text);
  const about = {
    status: response.status,
    requestId: response.headers.get('x-request-id'),
    retryAfter: retryAfterOf(response.headers, Date.now()),
  };
  if (body === null)
    return new LinernotesError({
      ...about,
      code: 'unreadable_answer',
      message: `The response with status ${response.status} is not from the service: ${text.slice(0, 200)}`,
    });
  return new LinernotesError({
    ...about,
    code: body.error,
    message: body.message ?? `The service responded ${response.status} ${body.error}.`,
    body,
  });
}

function errorBodyOf(text: string): ErrorBody | null {
  try {
    const body: unknown = JSON.parse(text);
    const isError =
      typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string';
    return isError ? (body as ErrorBody) : null;
  } catch {
    return null;
  }
}
