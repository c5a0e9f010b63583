import { type Static, Type } from '@sinclair/typebox';

interface CatalogueEntry {
  readonly status: number;
  /** One sentence that names the violated rule; the thrower may have a more exact one. */
  readonly message: string;
  readonly hint: string;
  /** Every 503 asks the client to wait; the thrower may know a more exact time. */
  readonly retryAfterSeconds?: number;
}

/** The error codes of the query service and of the kit. Codes are stable: clients branch on them. */
export const errorCatalogue = {
  invalid_artist_key: {
    status: 400,
    message:
      'The artist key is neither a cluster id of 64 lower-case hex digits nor a slug of 1 to 200 characters.',
    hint: 'Resolve the artist by name with GET /api/v2/resolve?q=<name>, then call with its cluster_id.',
  },
  use_resolve_for_locator: {
    status: 400,
    message: 'A catalogue or metadata locator is not an artist key.',
    hint: 'Call next, which resolves the locator, then call with the cluster_id that it returns.',
  },
  invalid_label_key: {
    status: 400,
    message:
      'The label key is neither a label cluster id of 64 lower-case hex digits nor a slug of 1 to 200 characters.',
    hint: 'Call with the slug of the label, or with a label cluster id from another response.',
  },
  invalid_fields: {
    status: 400,
    message: 'fields names a facet that is not a top-level field of the dossier.',
    hint: 'Name facets of the valid set, separated by commas, or omit fields.',
  },
  missing_locator: {
    status: 400,
    message: 'Resolve was called with none of url, q, cluster, catalog, mbid, isrc, and artist with track.',
    hint: 'Pass exactly one of url, q, cluster, catalog, mbid, isrc, or artist together with track; for example GET /api/v2/resolve?q=<artist name>.',
  },
  invalid_locator: {
    status: 400,
    message: 'The locator is malformed.',
    hint: 'Correct its format, or resolve the artist by name with q.',
  },
  invalid_query: {
    status: 400,
    message: 'The request does not fit the parameters of this route.',
    hint: 'Correct every entry of details.',
  },
  invalid_facet: {
    status: 400,
    message: 'Unknown search filter.',
    hint: 'Call next, or read GET /api/v2/facets for the names and values of all filters.',
  },
  invalid_json: {
    status: 400,
    message: 'The request body is not JSON.',
    hint: 'Send a JSON document in UTF-8.',
  },
  malformed_request: {
    status: 400,
    message:
      'The request is not well-formed HTTP (such as an unknown method, two Content-Length headers or a malformed chunk), or its path or query is not well-formed percent-encoding of UTF-8.',
    hint: 'Name the Host, and encode every path segment and every value of the query with encodeURIComponent or its like; a percent sign is written %25.',
  },
  unknown_surface: {
    status: 400,
    message: 'Unknown surface.',
    hint: 'Use one of the names that GET /api/v2/surface lists.',
  },
  invalid_cursor: {
    status: 400,
    message: 'The cursor does not belong to this surface and cluster, or was changed.',
    hint: 'Pass next_after back verbatim, or omit after to start from the first page.',
  },
  missing_api_key: {
    status: 401,
    message: 'This route requires an API key.',
    hint: 'Send your key in the X-API-Key header.',
  },
  invalid_api_key: {
    status: 401,
    message: 'The API key is not valid.',
    hint: 'Check that the key is complete, and that it was neither revoked nor has expired.',
  },
  invalid_payload: {
    status: 400,
    message: 'The event does not have the required members.',
    hint: 'Correct every entry of details.',
  },
  timestamp_skew: {
    status: 400,
    message: 'The timestamp is more than five minutes from the clock of the service.',
    hint: 'Correct the clock by skew_ms, and send events when they happen.',
  },
  missing_token: {
    status: 401,
    message: 'A beacon requires the token from the response of its search.',
    hint: 'Send Authorization: Bearer <beacon_token>, from the telemetry of the search.',
  },
  invalid_token: {
    status: 401,
    message: 'The beacon token is not valid.',
    hint: 'Send the complete token within 15 minutes of the search.',
  },
  token_search_event_mismatch: {
    status: 403,
    message: 'The beacon token belongs to another search event.',
    hint: 'Send the search_event_id and the beacon_token of the same search.',
  },
  not_found: {
    status: 404,
    message: 'Unknown route.',
    hint: 'GET /api/v2 lists the routes.',
  },
  master_not_found: {
    status: 404,
    message: 'No release group has this master id.',
    hint: 'Take master ids from the discography of an artist. Only version 1 raises this error: in version 2 an unknown release group is a response with present false.',
  },
  surface_disabled: {
    status: 404,
    message: 'The surface is disabled.',
    hint: 'Use another surface that GET /api/v2/surface lists as enabled.',
  },
  method_not_allowed: {
    status: 405,
    message: 'The route does not support this method.',
    hint: 'Use one of the methods of the Allow header.',
  },
  request_timeout: {
    status: 408,
    message: 'The request did not arrive completely in time.',
    hint: 'Send it again.',
  },
  payload_too_large: {
    status: 413,
    message: 'The request body is larger than this route accepts.',
    hint: 'Send less at a time.',
  },
  unsupported_media_type: {
    status: 415,
    message: 'The request body is of a media type that this route does not accept.',
    hint: 'Send Content-Type: application/json, in UTF-8 and not compressed.',
  },
  rate_limited: {
    status: 429,
    message: 'The rate limit is exhausted.',
    hint: 'Wait retry_after_seconds, then send the same request again.',
  },
  headers_too_large: {
    status: 431,
    message: 'The request line and headers are larger than 16 KiB, or more than 100 headers.',
    hint: 'Send a shorter URL or fewer headers.',
  },
  internal_error: {
    status: 500,
    message: 'The service failed unexpectedly.',
    hint: 'Try again; if it persists, report the X-Request-Id of the response.',
  },
  upstream_unavailable: {
    status: 502,
    message: 'The service of version 1 is unavailable, or its response broke off.',
    hint: 'Send the same request again, or use version 2.',
  },
  overloaded: {
    status: 503,
    message: 'The service has too many concurrent requests.',
    hint: 'Wait retry_after_seconds, then send the same request again; reduce your concurrency.',
    retryAfterSeconds: 1,
  },
  pool_exhausted: {
    status: 503,
    message: 'Every database connection is busy.',
    hint: 'Wait retry_after_seconds, then send the same request again.',
    retryAfterSeconds: 5,
  },
  database_unavailable: {
    status: 503,
    message: 'The database cannot be reached.',
    hint: 'Wait retry_after_seconds, then send the same request again.',
    retryAfterSeconds: 5,
  },
  surfaces_disabled: {
    status: 503,
    message: 'All surfaces are disabled for now.',
    hint: 'Try again later; dossiers are available meanwhile.',
    retryAfterSeconds: 60,
  },
  preview_unavailable: {
    status: 503,
    message: 'Previews are unavailable because their limit cannot be checked.',
    hint: 'Wait retry_after_seconds, then send the same request again; keyed routes are available meanwhile.',
    retryAfterSeconds: 5,
  },
  not_ready: {
    status: 503,
    message: 'The read models are not built yet.',
    hint: 'Wait retry_after_seconds, then send the same request again.',
    retryAfterSeconds: 5,
  },
  deadline_exceeded: {
    status: 504,
    message: 'The response was not ready within the deadline of 15 seconds.',
    hint: 'Send the same request again.',
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>;

export type ErrorCode = keyof typeof errorCatalogue;

const HttpErrorDetail = Type.Object({
  path: Type.String(),
  message: Type.String(),
});
export type HttpErrorDetail = Static<typeof HttpErrorDetail>;

/** Body of every response of status 400 and above. */
export const ErrorBody = Type.Object({
  error: Type.String({ description: 'Stable code to branch on.' }),
  message: Type.Optional(Type.String()),
  hint: Type.Optional(Type.String()),
  doc_url: Type.Optional(Type.String()),
  param: Type.Optional(Type.String({ description: 'The parameter at fault.' })),
  next: Type.Optional(Type.String({ description: 'A corrected URL, ready to be called.' })),
  details: Type.Optional(Type.Array(HttpErrorDetail)),
  retry_after_seconds: Type.Optional(Type.Number()),
  request_id: Type.Optional(Type.String()),
  master_id: Type.Optional(Type.Number({ description: 'The unknown master id.' })),
});
export type ErrorBody = Static<typeof ErrorBody>;

const { message: _message, doc_url: _docUrl, ...extensions } = ErrorBody.properties;

/** The same as problem details (RFC 9457), for clients that prefer them. */
export const ProblemBody = Type.Object({
  type: Type.String({ description: 'Where the code is explained.' }),
  title: Type.String({ description: 'The code in words.' }),
  status: Type.Integer(),
  detail: Type.Optional(Type.String()),
  instance: Type.String({ description: 'Id of the request.' }),
  ...extensions,
});
export type ProblemBody = Static<typeof ProblemBody>;

/** Details of an error beyond its code. */
export interface ErrorContext {
  readonly message?: string;
  readonly hint?: string;
  readonly param?: string;
  /** Path and query of a corrected request, from the root. */
  readonly next?: string;
  readonly details?: readonly HttpErrorDetail[];
  readonly retryAfterSeconds?: number;
  /** The unknown master id. */
  readonly masterId?: number;
  /** Methods of the route, for the Allow header. */
  readonly allow?: string;
}

/** A response of status 400 or above, thrown by any part of a service. Each service has a subclass with its codes. */
export abstract class HttpError<Code extends string = string> extends Error {
  abstract readonly status: number;
  /** The header `WWW-Authenticate` of status 401. */
  abstract readonly challenge: string;
  readonly code: Code;
  readonly context: ErrorContext;

  constructor(
    code: Code,
    message: string,
    { context, cause }: { readonly context: ErrorContext; readonly cause: unknown },
  ) {
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
    this.context = context;
  }
}

/** An error of the query service, or of the kit. */
export class ApiError extends HttpError<ErrorCode> {
  override readonly challenge = 'ApiKey realm="api", header="X-API-Key"';

  constructor(code: ErrorCode, given: ErrorContext = {}, cause?: unknown) {
    const { message, retryAfterSeconds }: CatalogueEntry = errorCatalogue[code];
    const context = retryAfterSeconds === undefined ? given : { retryAfterSeconds, ...given };
    super(code, given.message ?? message, { context, cause });
  }

  override get status(): number {
    return errorCatalogue[this.code].status;
  }
}

/** An invalid parameter. @param message what it must be */
export const invalidParameter = (param: string, message: string): ApiError =>
  new ApiError('invalid_query', { param, details: [{ path: param, message }] });

/** @param baseUrl where clients reach this service, without a slash at the end */
export function errorBody(
  { code, message, context }: ApiError,
  baseUrl: string,
  requestId: string,
): ErrorBody {
  const { hint = errorCatalogue[code].hint, param, next, details, retryAfterSeconds, masterId } = context;
  return {
    error: code,
    message,
    hint,
    doc_url: `${baseUrl}/docs/api#error-${code}`,
    ...(param === undefined ? {} : { param }),
    ...(next === undefined ? {} : { next: `${baseUrl}${next}` }),
    ...(details === undefined ? {} : { details: [...details] }),
    ...(retryAfterSeconds === undefined ? {} : { retry_after_seconds: retryAfterSeconds }),
    ...(masterId === undefined ? {} : { master_id: masterId }),
    ...(errorCatalogue[code].status === 500 ? { request_id: requestId } : {}),
  };
}

/** The body of an error as problem details. */
export function problemBody(
  { doc_url: type = 'about:blank', message: detail, ...extended }: ErrorBody,
  { code, status }: ApiError,
  requestId: string,
): ProblemBody {
  return {
    type,
    title: titleOf(code),
    status,
    ...(detail === undefined ? {} : { detail }),
    instance: requestId,
    ...extended,
  };
}

/** The code in words, the same for every occurrence. */
function titleOf(code: ErrorCode): string {
  const words = code.replaceAll('_', ' ').replaceAll(/\b(?:api|json)\b/g, (name) => name.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The headers of an error response. */
export function errorHeaders({ status, challenge, context }: HttpError): Record<string, string> {
  const { retryAfterSeconds, allow } = context;
  return {
    ...(status === 401 ? { 'www-authenticate': challenge } : {}),
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
    ...(allow === undefined ? {} : { allow }),
    'cache-control': 'no-store',
  };
}
