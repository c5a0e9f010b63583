import { ErrorBody, errorCatalogue, ProblemBody } from '../../../services/http/errors.ts';
import { IGNORED } from '../../../services/http/plugins/ignored-parameters.ts';
import { BeaconErrorBody } from '../../../services/query/search-events/schema.ts';
import { AT_LEAST, FRESHNESS, WAIT } from '../../../services/query/status/consistency-headers.ts';
import type { ApiDocument, HeaderObject, ParameterObject, Reference, ResponseObject } from './document.ts';
import { plainSchema } from './plain-schema.ts';

export const JSON_MEDIA_TYPE = 'application/json';
export const PROBLEM_TYPE = 'application/problem+json';

const header = (type: 'string' | 'integer', description: string): HeaderObject => ({
  description,
  schema: { type },
});

const headers = {
  'X-Request-Id': header(
    'string',
    'Id of the request: the one that the client sent, else a new one. Quote it in reports.',
  ),
  'X-RateLimit-Limit': header('integer', 'Requests allowed in the window.'),
  'X-RateLimit-Remaining': header('integer', 'Requests left in the window.'),
  'X-RateLimit-Reset': header('integer', 'When the window ends, in seconds since 1970.'),
  'RateLimit-Policy': header(
    'string',
    'The limits in force, as structured fields: "name";q=requests;w=seconds.',
  ),
  RateLimit: header(
    'string',
    'What is left of the tightest limit, and for how long: "name";r=requests;t=seconds.',
  ),
  'Retry-After': header('integer', 'Seconds to wait before sending the same request again.'),
  'WWW-Authenticate': header('string', 'The credentials that the route requires.'),
  ETag: header('string', 'Weak validator of the content, for If-None-Match.'),
  [FRESHNESS]: header(
    'string',
    `Sent only if the request has ${AT_LEAST}: fresh, or stale with the time waited.`,
  ),
  [IGNORED]: header(
    'string',
    'Sent only if the request has query parameters that the route does not know: their names, percent-encoded, separated by commas.',
  ),
} as const satisfies Readonly<Record<string, HeaderObject>>;
export type HeaderName = keyof typeof headers;

const parameters = {
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    description:
      'The ETag of a cached response; the service responds 304 without a body while it is current.',
    schema: { type: 'string' },
  },
  AtLeast: {
    name: AT_LEAST,
    in: 'header',
    required: false,
    description:
      'Changes, up to eight: records of the log, `<topic>:<partition>:<offset>`, or changes of a table, `<schema>.<table>@<LSN>` (`0/16B3748`) or `<schema>.<table>@<transaction>` (`777`). The service waits until their effect is visible. An unknown topic or table is an error at once.',
    schema: { type: 'string' },
  },
  Wait: {
    name: WAIT,
    in: 'header',
    required: false,
    description: `Maximum seconds to wait for the records in ${AT_LEAST}.`,
    schema: { type: 'number', minimum: 0, maximum: 10, default: 5 },
  },
} as const satisfies Readonly<Record<string, ParameterObject>>;

export const RATE_LIMIT_HEADERS = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
] as const satisfies readonly HeaderName[];

export const refTo = (section: keyof ApiDocument['components'], name: string): Reference => ({
  $ref: `#/components/${section}/${name}`,
});

export const headerRefs = (names: readonly HeaderName[]): Record<string, Reference> =>
  Object.fromEntries(names.map((name) => [name, refTo('headers', name)]));

const errorResponse = (description: string, names: readonly HeaderName[] = []): ResponseObject => ({
  description,
  headers: headerRefs(['X-Request-Id', ...names]),
  content: {
    [JSON_MEDIA_TYPE]: { schema: refTo('schemas', 'Error') },
    [PROBLEM_TYPE]: { schema: refTo('schemas', 'Problem') },
  },
});

const beaconErrorResponse = (description: string, names: readonly HeaderName[] = []): ResponseObject => ({
  description,
  headers: headerRefs(['X-Request-Id', ...names]),
  content: { [JSON_MEDIA_TYPE]: { schema: refTo('schemas', 'BeaconError') } },
});

const responses = {
  ClientError: errorResponse('The request is invalid; error says why.'),
  ServerError: errorResponse(
    'The service or one of its dependencies failed. Retry-After, if present, says when to try again.',
    ['Retry-After'],
  ),
  BeaconClientError: beaconErrorResponse('The event or its token is invalid; error says why.'),
  BeaconServerError: beaconErrorResponse('The service did not record the event.', ['Retry-After']),
};

/** The component responses for each schema of errors: the first for 4xx, the second for 5xx. */
export const errorResponses: ReadonlyMap<unknown, readonly [Reference, Reference]> = new Map<
  unknown,
  readonly [Reference, Reference]
>([
  [ErrorBody, [refTo('responses', 'ClientError'), refTo('responses', 'ServerError')]],
  [BeaconErrorBody, [refTo('responses', 'BeaconClientError'), refTo('responses', 'BeaconServerError')]],
]);

/** All components but the schemas of successful responses and the responses of errors. */
export const components: ApiDocument['components'] = {
  schemas: {
    Error: plainSchema(ErrorBody),
    Problem: plainSchema(ProblemBody),
    BeaconError: plainSchema(BeaconErrorBody),
  },
  parameters,
  headers,
  responses,
  securitySchemes: {
    ApiKey: {
      type: 'apiKey',
      in: 'header',
      name: 'X-API-Key',
      description: 'An API key as issued: ln_live_... or ln_test_...',
    },
    BeaconToken: {
      type: 'http',
      scheme: 'bearer',
      description:
        'The beacon_token in the telemetry of a search. It is valid for that search, for 15 minutes.',
    },
  },
};

export const errorCodes: ApiDocument['x-error-codes'] = Object.fromEntries(
  Object.entries(errorCatalogue)
    .map(([code, { status, message, hint }]) => [code, { status, message, hint }] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1)),
);
