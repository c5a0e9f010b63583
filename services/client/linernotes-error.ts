import type { components, ErrorCode } from './api.ts';
import { retryAfterOf } from './retry-after.ts';

type ErrorBody = components['schemas']['Error'];

/** One member of a request that is at fault. */
export interface ErrorDetail {
  readonly path: string;
  readonly message: string;
}

/**
 * What this client calls failures that the service has no code for: `network_error`, no whole answer came; `timed_out`,
 * none came in time; `unreadable_answer`, what came is not the service's; `degraded`, a page could not be read.
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

/** A request that was not answered with what was asked for. Branch on `code`; several codes share a status. */
export class LinernotesError extends Error {
  override readonly name = 'LinernotesError';
  /** Of the service's catalogue, or of this client. The catalogue may grow. */
  readonly code: ErrorCode | ClientErrorCode | (string & {});
  /** HTTP status; null where no answer came. */
  readonly status: number | null;
  /** What to do about it. */
  readonly hint: string | null;
  /** Where the code is explained. */
  readonly docUrl: string | null;
  /** The parameter at fault. */
  readonly param: string | null;
  /** A corrected URL, ready to be called. */
  readonly next: string | null;
  /** Every member at fault. */
  readonly details: readonly ErrorDetail[];
  /** Id of the request, to name when something is wrong. */
  readonly requestId: string | null;
  /** Seconds after which the same request may be sent again. */
  readonly retryAfter: number | null;
  /** What the service answered, as it was. */
  readonly body: unknown;

  constructor({ code, message, status, body, requestId, retryAfter, cause }: ErrorFields) {
    super(message, { cause });
    this.code = code;
    this.status = status ?? null;
    this.hint = body?.hint ?? null;
    this.docUrl = body?.doc_url ?? null;
    this.param = body?.param ?? null;
    this.next = body?.next ?? null;
    // Beacons tell their faults in another form, which stays in body.
    this.details = Array.isArray(body?.details) ? body.details : [];
    this.requestId = requestId ?? null;
    this.retryAfter = retryAfter ?? null;
    this.body = body ?? null;
  }
}

/** The error that an answer of status 400 or above tells of. */
export function errorOf(answer: Response, text: string): LinernotesError {
  const body = errorBodyOf(text);
  const about = {
    status: answer.status,
    requestId: answer.headers.get('x-request-id'),
    retryAfter: retryAfterOf(answer.headers, Date.now()),
  };
  if (body === null)
    return new LinernotesError({
      ...about,
      code: 'unreadable_answer',
      message: `The answer of status ${answer.status} is not one of the service: ${text.slice(0, 200)}`,
    });
  return new LinernotesError({
    ...about,
    code: body.error,
    message: body.message ?? `The service answered ${answer.status} ${body.error}.`,
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
