import { STATUS_CODES } from 'node:http';
import {
  ApiError,
  ErrorBody,
  type ErrorCode,
  type ErrorContext,
  errorBody,
  errorCatalogue,
} from '../../../services/http/errors.ts';
import {
  type BeaconContext,
  BeaconError,
  beaconErrorBody,
} from '../../../services/query/search-events/beacon-error.ts';
import { BeaconErrorBody } from '../../../services/query/search-events/schema.ts';
import {
  type HeaderName,
  headerRefs,
  JSON_MEDIA_TYPE,
  PROBLEM_TYPE,
  RATE_LIMIT_HEADERS,
  refTo,
} from './components.ts';
import type { JsonSchema, Reference, ResponseObject } from './document.ts';

const headersByStatus: Readonly<Record<number, readonly HeaderName[]>> = {
  401: ['WWW-Authenticate'],
  429: ['Retry-After', ...RATE_LIMIT_HEADERS],
  503: ['Retry-After'],
};

/** A form in which routes send errors. */
interface ErrorForm {
  /** Of the names of its components. */
  readonly prefix: string;
  /** The component schema of each media type. */
  readonly schemas: Readonly<Record<string, string>>;
  readonly example: (code: ErrorCode) => unknown;
}

/** Members without which an example would be incomplete. */
const contexts: Partial<Record<ErrorCode, ErrorContext>> = {
  invalid_query: {
    param: '<parameter>',
    details: [{ path: '<parameter>', message: '<what it must be>' }],
  },
  rate_limited: { retryAfterSeconds: 12 },
};
const beaconContexts: Partial<Record<ErrorCode, BeaconContext>> = {
  invalid_payload: { details: { formErrors: [], fieldErrors: { '<member>': ['<what is expected>'] } } },
  timestamp_skew: { skewMs: -360_000 },
};

/** By the schema that routes declare for their errors. */
const forms: ReadonlyMap<unknown, ErrorForm> = new Map<unknown, ErrorForm>([
  [
    ErrorBody,
    {
      prefix: '',
      schemas: { [JSON_MEDIA_TYPE]: 'Error', [PROBLEM_TYPE]: 'Problem' },
      example: (code) => errorBody(new ApiError(code, contexts[code]), 'https://api.example', ''),
    },
  ],
  [
    BeaconErrorBody,
    {
      prefix: 'Beacon',
      schemas: { [JSON_MEDIA_TYPE]: 'BeaconError' },
      example: (code) => beaconErrorBody(new BeaconError(code, beaconContexts[code])),
    },
  ],
]);

/**
 * The responses of errors by status. Equal ones are one component, named after its codes.
 *
 * @param schema that the route declares for its errors
 * @param known component responses, to which new ones are added
 * @throws Error if the form of the errors is unknown
 */
export function errorsByStatus(
  codes: readonly ErrorCode[],
  schema: unknown,
  known: Record<string, ResponseObject>,
): Record<string, Reference> {
  const form = forms.get(schema);
  if (form === undefined) throw new Error('the errors of an operation have no known form');
  const byStatus = Map.groupBy(codes, (code) => errorCatalogue[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, alike]) => {
      const name = `${form.prefix}${alike.map(pascalCase).join('Or')}`;
      known[name] ??= errorResponse(form, status, alike);
      return [status, refTo('responses', name)];
    }),
  );
}

function errorResponse(form: ErrorForm, status: number, codes: readonly ErrorCode[]): ResponseObject {
  const examples = Object.fromEntries(codes.map((code) => [code, { value: form.example(code) }]));
  return {
    description: `${STATUS_CODES[status]}: ${codes.join(', ')}.`,
    headers: headerRefs(['X-Request-Id', ...(headersByStatus[status] ?? [])]),
    content: Object.fromEntries(
      Object.entries(form.schemas).map(([type, base]) => [
        type,
        { schema: withCodes(base, codes), ...(type === JSON_MEDIA_TYPE ? { examples } : {}) },
      ]),
    ),
  };
}

const withCodes = (base: string, codes: readonly ErrorCode[]): JsonSchema => ({
  allOf: [refTo('schemas', base), { properties: { error: { type: 'string', enum: codes } } }],
});

const pascalCase = (code: string): string =>
  code.replaceAll(/(?:^|_)([a-z])/g, (_match, letter: string) => letter.toUpperCase());
