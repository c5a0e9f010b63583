import { ErrorBody, errorCatalogue, ProblemBody } from '../../errors.ts';
import { BeaconErrorBody } from '../../schemas/search-events.ts';
import { AT_LEAST, FRESHNESS, WAIT } from '../../serving/consistency-headers.ts';
import type { Answer, ApiDocument, Header, JsonSchema, Parameter, Reference } from './document.ts';
import { plainSchema } from './plain-schema.ts';

export const JSON_TYPE = 'application/json';
/** For clients that like it better. */
const PROBLEM_TYPE = 'application/problem+json';

const headers = {
  'X-Request-Id': {
    description: 'Id of the request, as it was given or else a new one; name it when something is wrong.',
    schema: { type: 'string' },
  },
  'X-RateLimit-Limit': {
    description: 'Requests allowed in the window.',
    schema: { type: 'integer' },
  },
  'X-RateLimit-Remaining': {
    description: 'Requests left in the window.',
    schema: { type: 'integer' },
  },
  'X-RateLimit-Reset': {
    description: 'When the window ends, in seconds since 1970.',
    schema: { type: 'integer' },
  },
  'RateLimit-Policy': {
    description: 'The limits that hold, as structured fields: "name";q=requests;w=seconds.',
    schema: { type: 'string' },
  },
  RateLimit: {
    description: 'What is left of the limit that counts, and for how long: "name";r=requests;t=seconds.',
    schema: { type: 'string' },
  },
  'Retry-After': {
    description: 'Seconds to wait before the same request is sent again.',
    schema: { type: 'integer' },
  },
  'WWW-Authenticate': {
    description: 'What the route has to be opened with.',
    schema: { type: 'string' },
  },
  ETag: {
    description: 'Weak validator of the content, for If-None-Match.',
    schema: { type: 'string' },
  },
  [FRESHNESS]: {
    description: `Only where ${AT_LEAST} was sent: fresh, or stale with how long was waited.`,
    schema: { type: 'string' },
  },
} as const satisfies Readonly<Record<string, Header>>;
type HeaderName = keyof typeof headers;

const POSITION = '[A-Za-z0-9._-]{1,249}:[0-9]{1,9}:[0-9]{1,15}';
/** Up to eight of them. */
const POSITIONS = `^${POSITION}(?:,${POSITION}){0,7}$`;

const parameters = {
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    description: 'The ETag of an answer that is at hand; 304 without a body while it holds.',
    schema: { type: 'string' },
  },
  AtLeast: {
    name: AT_LEAST,
    in: 'header',
    required: false,
    description:
      'Records of the change log, `<topic>:<partition>:<offset>`, whose effect is to be waited for.',
    schema: { type: 'string', pattern: POSITIONS },
  },
  Wait: {
    name: WAIT,
    in: 'header',
    required: false,
    description: `Seconds to wait for what ${AT_LEAST} names, at most.`,
    schema: { type: 'number', minimum: 0, maximum: 10, default: 5 },
  },
} as const satisfies Readonly<Record<string, Parameter>>;

/** Where a request stands in its limits. */
export const STANDING = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
] as const satisfies readonly HeaderName[];

/** Errors that answers of any route can be, by the name of their component. */
const refusals = {
  ClientError: { description: 'The request is at fault; error says how.', names: [] },
  Unauthorized: { description: 'The API key is missing or not valid.', names: ['WWW-Authenticate'] },
  RateLimited: {
    description: 'The rate limit is used up.',
    names: ['Retry-After', ...STANDING],
  },
  ServerError: {
    description:
      'The service or something behind it failed; where Retry-After is there, after how long to try again.',
    names: ['Retry-After'],
  },
} as const satisfies Readonly<Record<string, { description: string; names: readonly HeaderName[] }>>;

const beaconRefusals = {
  BeaconClientError: { description: 'The event or its token is at fault; error says how.', names: [] },
  BeaconServerError: { description: 'The event was not taken.', names: ['Retry-After'] },
} as const satisfies Readonly<Record<string, { description: string; names: readonly HeaderName[] }>>;

const answers = (
  refused: Readonly<Record<string, { description: string; names: readonly HeaderName[] }>>,
  schema: keyof typeof errorSchemas,
): Record<string, Answer> =>
  Object.fromEntries(
    Object.entries(refused).map(([name, { description, names }]) => [
      name,
      {
        description,
        headers: headerRefs(['X-Request-Id', ...names]),
        content: {
          [JSON_TYPE]: { schema: schemaRef(schema) },
          ...(schema === 'Error' ? { [PROBLEM_TYPE]: { schema: schemaRef('Problem') } } : {}),
        },
      },
    ]),
  );

export const headerRefs = (names: readonly HeaderName[]): Record<string, Reference> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

export const schemaRef = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

export const parameterRef = (name: keyof typeof parameters): Reference => ({
  $ref: `#/components/parameters/${name}`,
});

export const answerRef = (name: keyof typeof refusals | keyof typeof beaconRefusals): Reference => ({
  $ref: `#/components/responses/${name}`,
});

/** Schemas of errors, which have names of their own. */
export const errorSchemas: Readonly<Record<'Error' | 'Problem' | 'BeaconError', JsonSchema>> = {
  Error: plainSchema(ErrorBody),
  Problem: plainSchema(ProblemBody),
  BeaconError: plainSchema(BeaconErrorBody),
};

/** All components but the schemas of answers. */
export const components: ApiDocument['components'] = {
  schemas: errorSchemas,
  parameters,
  headers,
  responses: { ...answers(refusals, 'Error'), ...answers(beaconRefusals, 'BeaconError') },
  securitySchemes: {
    ApiKey: {
      type: 'apiKey',
      in: 'header',
      name: 'X-API-Key',
      description: 'A key, ln_live_... or ln_test_..., as it was issued.',
    },
    BeaconToken: {
      type: 'http',
      scheme: 'bearer',
      description:
        'The beacon_token that a search answered in telemetry; it holds for that search, 15 minutes.',
    },
  },
};

export const errorCodes: ApiDocument['x-error-codes'] = Object.fromEntries(
  Object.entries(errorCatalogue)
    .map(([code, { status, message, hint }]) => [code, { status, message, hint }] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1)),
);
