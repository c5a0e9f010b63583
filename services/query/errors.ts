import { type Static, Type } from '@sinclair/typebox';

interface CatalogueEntry {
  readonly status: number;
  /** One sentence naming the violated rule, where the thrower has nothing more exact to say. */
  readonly message: string;
  /** What to do about it. */
  readonly hint: string;
}

/** Every error code this service answers with. Codes are stable: clients branch on them. */
export const errorCatalogue = {
  invalid_artist_key: {
    status: 400,
    message: 'The artist key is neither a cluster id of 64 hex digits nor a slug of 1 to 200 characters.',
    hint: 'Resolve the artist by name with GET /api/v2/resolve?q=<name>, then call with its cluster_id.',
  },
  use_resolve_for_locator: {
    status: 400,
    message: 'A catalogue or metadata locator is not an artist key.',
    hint: 'Call next, which resolves the locator, then call with the cluster_id it answers.',
  },
  invalid_label_key: {
    status: 400,
    message:
      'The label key is neither a label cluster id of 64 hex digits nor a slug of 1 to 200 characters.',
    hint: 'Call with the slug of the label, or with a label cluster id that another answer gave.',
  },
  invalid_fields: {
    status: 400,
    message: 'fields names a facet that is not a top-level field of the dossier.',
    hint: 'Name facets of the valid set, separated by commas, or leave fields out.',
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
    message: 'The search was given a filter that there is none of.',
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
      'The request is not well-formed HTTP, or its path or query is not well-formed percent-encoding of UTF-8.',
    hint: 'Name the Host, and encode every path segment and every value of the query with encodeURIComponent or its like; a percent sign is written %25.',
  },
  unknown_surface: {
    status: 400,
    message: 'There is no surface of this name.',
    hint: 'Use one of the names that GET /api/v2/surface lists.',
  },
  invalid_cursor: {
    status: 400,
    message: 'The cursor was not given out for this surface and cluster, or not as it was sent.',
    hint: 'Pass next_after back verbatim, or leave after out to start from the first page.',
  },
  missing_api_key: {
    status: 401,
    message: 'This route requires an API key.',
    hint: 'Send your key in the X-API-Key header.',
  },
  invalid_api_key: {
    status: 401,
    message: 'The API key is not valid.',
    hint: 'Check that the key is sent whole, and that it was neither revoked nor has expired.',
  },
  invalid_payload: {
    status: 400,
    message: 'The event does not have the members it has to have.',
    hint: 'Correct every entry of details.',
  },
  timestamp_skew: {
    status: 400,
    message: 'The timestamp is more than five minutes from the clock of the service.',
    hint: 'Set the clock right by skew_ms, and send events when they happen.',
  },
  missing_token: {
    status: 401,
    message: 'A beacon requires the token that its search was answered with.',
    hint: 'Send Authorization: Bearer <beacon_token>, from the telemetry of the search.',
  },
  invalid_token: {
    status: 401,
    message: 'The beacon token is not valid.',
    hint: 'Send the token of the search whole, and within 15 minutes of it.',
  },
  token_search_event_mismatch: {
    status: 403,
    message: 'The beacon token belongs to another search event.',
    hint: 'Send the search_event_id and the beacon_token of the same search.',
  },
  not_found: {
    status: 404,
    message: 'There is no such route.',
    hint: 'GET /api/v2 lists the routes.',
  },
  surface_disabled: {
    status: 404,
    message: 'The surface is switched off.',
    hint: 'Use another surface that GET /api/v2/surface lists as enabled.',
  },
  method_not_allowed: {
    status: 405,
    message: 'The route does not answer this method.',
    hint: 'Use one of the methods of the Allow header.',
  },
  request_timeout: {
    status: 408,
    message: 'The request did not arrive whole in time.',
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
    message: 'The rate limit is used up.',
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
    hint: 'Try again; if it persists, report the X-Request-Id of the answer.',
  },
  upstream_unavailable: {
    status: 502,
    message: 'The service that still answers version 1 could not be reached, or broke off.',
    hint: 'Send the same request again, or use version 2.',
  },
  overloaded: {
    status: 503,
    message: 'The service has more requests under way than it can answer in time.',
    hint: 'Wait retry_after_seconds, then send the same request again; send fewer at once.',
  },
  pool_exhausted: {
    status: 503,
    message: 'No database connection was to be had.',
    hint: 'Wait retry_after_seconds, then send the same request again.',
  },
  surfaces_disabled: {
    status: 503,
    message: 'All surfaces are switched off for now.',
    hint: 'Try again later; dossiers are served meanwhile.',
  },
  preview_unavailable: {
    status: 503,
    message: 'Previews cannot be counted, so that none is given.',
    hint: 'Wait retry_after_seconds, then send the same request again; keyed routes answer meanwhile.',
  },
  not_ready: {
    status: 503,
    message: 'The read models are not built yet.',
    hint: 'Wait retry_after_seconds, then send the same request again.',
  },
  deadline_exceeded: {
    status: 504,
    message: 'The answer was not ready within the deadline of 15 seconds.',
    hint: 'Send the same request again.',
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>;

export type ErrorCode = keyof typeof errorCatalogue;

const ErrorDetail = Type.Object({
  path: Type.String(),
  message: Type.String(),
});
export type ErrorDetail = Static<typeof ErrorDetail>;

/** Body of every answer of status 400 and above. */
export const ErrorBody = Type.Object({
  error: Type.String({ description: 'Stable code to branch on.' }),
  message: Type.Optional(Type.String()),
  hint: Type.Optional(Type.String()),
  doc_url: Type.Optional(Type.String()),
  param: Type.Optional(Type.String({ description: 'The parameter at fault.' })),
  next: Type.Optional(Type.String({ description: 'A corrected URL, ready to be called.' })),
  details: Type.Optional(Type.Array(ErrorDetail)),
  retry_after_seconds: Type.Optional(Type.Number()),
  request_id: Type.Optional(Type.String()),
});
export type ErrorBody = Static<typeof ErrorBody>;

const { message: _message, doc_url: _docUrl, ...extensions } = ErrorBody.properties;

/** The same as problem details (RFC 9457), for clients that like them better. */
export const ProblemBody = Type.Object({
  type: Type.String({ description: 'Where the code is explained.' }),
  title: Type.String({ description: 'The code in words.' }),
  status: Type.Integer(),
  detail: Type.Optional(Type.String()),
  instance: Type.String({ description: 'Id of the request.' }),
  ...extensions,
});
export type ProblemBody = Static<typeof ProblemBody>;

/** What a thrower knows beyond the code. */
export interface ErrorContext {
  readonly message?: string;
  readonly hint?: string;
  readonly param?: string;
  /** Path and query of a corrected request, from the root. */
  readonly next?: string;
  readonly details?: readonly ErrorDetail[];
  readonly retryAfterSeconds?: number;
  /** Methods that the route does answer, for the Allow header. */
  readonly allow?: string;
}

/** An answer of status 400 or above, thrown from wherever it becomes clear. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly context: ErrorContext;

  constructor(code: ErrorCode, context: ErrorContext = {}, cause?: unknown) {
    super(context.message ?? errorCatalogue[code].message, { cause });
    this.code = code;
    this.context = context;
  }

  get status(): number {
    return errorCatalogue[this.code].status;
  }
}

/** A parameter that does not fit. @param message what it must be */
export const invalidParameter = (param: string, message: string): ApiError =>
  new ApiError('invalid_query', { param, details: [{ path: param, message }] });

/** @param baseUrl where clients reach this service, without a slash at the end */
export function errorBody(
  { code, message, context }: ApiError,
  baseUrl: string,
  requestId: string,
): ErrorBody {
  const { hint = errorCatalogue[code].hint, param, next, details, retryAfterSeconds } = context;
  return {
    error: code,
    message,
    hint,
    doc_url: `${baseUrl}/docs/api#error-${code}`,
    ...(param === undefined ? {} : { param }),
    ...(next === undefined ? {} : { next: `${baseUrl}${next}` }),
    ...(details === undefined ? {} : { details: [...details] }),
    ...(retryAfterSeconds === undefined ? {} : { retry_after_seconds: retryAfterSeconds }),
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

/** The code in words: the same for every occurrence, as titles have to be. */
function titleOf(code: ErrorCode): string {
  const words = code.replaceAll('_', ' ').replaceAll(/\b(?:api|json)\b/g, (name) => name.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What goes with the body of an error. */
export function errorHeaders({ code, context }: ApiError): Record<string, string> {
  const { retryAfterSeconds, allow } = context;
  return {
    ...(errorCatalogue[code].status === 401
      ? { 'www-authenticate': 'ApiKey realm="api", header="X-API-Key"' }
      : {}),
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
    ...(allow === undefined ? {} : { allow }),
    'cache-control': 'no-store',
  };
}
