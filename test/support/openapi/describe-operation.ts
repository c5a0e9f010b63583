import { STATUS_CODES } from 'node:http';
import type { RouteOptions } from 'fastify';
import { IGNORED } from '../../../services/http/plugins/ignored-parameters.ts';
import { FRESHNESS } from '../../../services/query/status/consistency-headers.ts';
import { errorResponses, headerRefs, JSON_MEDIA_TYPE, RATE_LIMIT_HEADERS, refTo } from './components.ts';
import { canWait, declaredErrors } from './declared-errors.ts';
import type { JsonSchema, OperationObject, ParameterObject, Reference, ResponseObject } from './document.ts';
import { errorsByStatus } from './error-responses.ts';
import type { Example } from './examples.ts';

export interface OperationContext {
  readonly route: RouteOptions;
  readonly example: Example | undefined;
  /** Component schemas; those of this operation's responses are added. */
  readonly schemas: Record<string, JsonSchema>;
  /** Component responses; those of this operation's errors are added. */
  readonly responses: Record<string, ResponseObject>;
}

/** An operation as generated from its route, with what all operations share: security, headers, errors, examples. */
export function describeOperation(generated: OperationObject, context: OperationContext): OperationObject {
  const { operationId, summary, description, tags, security, requestBody } = generated;
  const { route, example } = context;
  const { isPublic = false, isUnlimited = false, rejectsUnknown = false } = route.config ?? {};
  const isVersioned = route.url.startsWith('/api/v2');
  const traits = {
    hasEtag: '304' in generated.responses,
    // Previews have a window of their own, and probes have no limit.
    hasLimit: !isUnlimited || isVersioned,
    canWait: canWait(route),
    ignoresUnknown: !rejectsUnknown,
  };
  return {
    operationId,
    summary,
    description,
    tags,
    security: security ?? (isPublic ? [] : [{ ApiKey: [] }]),
    parameters: [
      ...parametersOf(generated, route.url, example?.request.path),
      ...(traits.hasEtag ? [refTo('parameters', 'IfNoneMatch')] : []),
      ...(traits.canWait ? [refTo('parameters', 'AtLeast'), refTo('parameters', 'Wait')] : []),
    ],
    ...(requestBody === undefined
      ? {}
      : {
          requestBody: { required: true, content: withExample(requestBody.content, example?.request.body) },
        }),
    responses: {
      ...responsesOf(generated, traits, context),
      ...errorsByStatus(declaredErrors(route), responseSchemas(route)['4xx'], context.responses),
    },
    ...(example === undefined ? {} : { 'x-example-request': example.request.path }),
  };
}

/** The schemas of the route's responses by status. */
const responseSchemas = ({ schema }: RouteOptions): Readonly<Record<string, unknown>> =>
  (schema?.response ?? {}) as Readonly<Record<string, unknown>>;

type Content = NonNullable<ResponseObject['content']>;

function withExample(content: Content, example: unknown): Content {
  const { schema = {} } = content[JSON_MEDIA_TYPE] ?? {};
  return { [JSON_MEDIA_TYPE]: example === undefined ? { schema } : { schema, example } };
}

function parametersOf(
  { parameters = [] }: OperationObject,
  template: string,
  path?: string,
): ParameterObject[] {
  const values = path === undefined ? {} : { ...queryValues(path), ...pathValues(template, path) };
  // Fastify lists the query first; readers expect the order of the address.
  const inOrder = (parameters as readonly ParameterObject[]).toSorted(
    (a, b) => Number(b.in === 'path') - Number(a.in === 'path'),
  );
  return inOrder.map(({ in: place, name, required: isGiven, description, schema }) => {
    const required = isGiven && schema.default === undefined;
    const value = values[name];
    return {
      name,
      in: place,
      required,
      ...(description === undefined ? {} : { description }),
      schema,
      // The reference fills examples into its form, where an optional one would filter unnoticed.
      ...(required && value !== undefined ? { example: exampleOf(schema, value) } : {}),
    };
  });
}

/** The text as a value of the schema's type. */
function exampleOf({ type }: JsonSchema, text: string): unknown {
  const types = [type].flat();
  if (types.includes('integer') || types.includes('number')) return Number(text);
  if (types.includes('boolean')) return text === 'true';
  return types.includes('array') ? [text] : text;
}

function pathValues(template: string, path: string): Record<string, string> {
  const pattern = new RegExp(`^${template.replaceAll('.', '\\.').replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')}$`);
  const found = pattern.exec(path.split('?', 1)[0] ?? '');
  if (found === null) throw new Error(`${path} is no example of ${template}`);
  return Object.fromEntries(
    Object.entries(found.groups ?? {}).map(([name, text]) => [name, decodeURIComponent(text)]),
  );
}

const queryValues = (path: string): Record<string, string> =>
  Object.fromEntries(new URL(path, 'http://localhost').searchParams);

interface Traits {
  readonly hasEtag: boolean;
  readonly hasLimit: boolean;
  readonly canWait: boolean;
  readonly ignoresUnknown: boolean;
}

function responsesOf(
  { operationId, responses }: OperationObject,
  { hasEtag, hasLimit, canWait, ignoresUnknown }: Traits,
  { route, example, schemas }: OperationContext,
): Record<string, ResponseObject | Reference> {
  const declared = Object.entries(responseSchemas(route));
  return Object.fromEntries(
    declared.map(([declaredStatus, schema]) => {
      const status = declaredStatus.toUpperCase();
      const [clientError, serverError] = errorResponses.get(schema) ?? [];
      const error = status.startsWith('5') ? serverError : clientError;
      if (error !== undefined) return [status, error];
      const isFound = status === '200';
      const headers = headerRefs([
        'X-Request-Id',
        ...(hasLimit ? RATE_LIMIT_HEADERS : []),
        ...(hasEtag && (isFound || status === '304') ? (['ETag'] as const) : []),
        ...(canWait && isFound ? ([FRESHNESS] as const) : []),
        ...(ignoresUnknown && status.startsWith('2') ? ([IGNORED] as const) : []),
      ]);
      const description =
        status === '304' ? 'The cached response is current.' : (STATUS_CODES[status] ?? `Status ${status}`);
      const body = (responses[status] as ResponseObject).content?.[JSON_MEDIA_TYPE]?.schema;
      if (body === undefined) return [status, { description, headers }];
      const name = nameOf(body, { status, operationId, schemas });
      const content = { [JSON_MEDIA_TYPE]: { schema: refTo('schemas', name) } };
      return [
        status,
        { description, headers, content: isFound ? withExample(content, example?.answer) : content },
      ];
    }),
  );
}

/** The name of the component that holds the schema; a new one takes its name from the operation. */
function nameOf(
  schema: JsonSchema,
  {
    status,
    operationId,
    schemas,
  }: { status: string; operationId: string; schemas: OperationContext['schemas'] },
): string {
  const text = JSON.stringify(schema);
  const [known] = Object.entries(schemas).find(([, other]) => JSON.stringify(other) === text) ?? [];
  if (known !== undefined) return known;
  const suffix = status === '200' ? 'Response' : `Response${status}`;
  const name = `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}${suffix}`;
  schemas[name] = schema;
  return name;
}
