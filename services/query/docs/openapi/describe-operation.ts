import { STATUS_CODES } from 'node:http';
import { FRESHNESS } from '../../serving/consistency-headers.ts';
import type { Example } from '../examples.ts';
import {
  answerRef,
  errorSchemas,
  headerRefs,
  JSON_TYPE,
  parameterRef,
  STANDING,
  schemaRef,
} from './components.ts';
import type { Answer, JsonSchema, Media, OperationObject, Parameter, Reference } from './document.ts';
import type { Operation } from './operation-list.ts';
import { plainSchema } from './plain-schema.ts';

/** @param schemas the components, to which the schemas of this operation's answers are added */
export function describeOperation(
  operation: Operation,
  example: Example | undefined,
  schemas: Record<string, JsonSchema>,
): OperationObject {
  const { operationId, summary, tags, isPublic, security, body } = operation;
  return {
    operationId,
    summary,
    tags: [...tags],
    security: [...(security ?? (isPublic ? [] : [{ ApiKey: [] }]))],
    parameters: parametersOf(operation, example),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: true as const,
            content: { [JSON_TYPE]: media(plainSchema(body), example?.request.body) },
          },
        }),
    responses: responsesOf(operation, example, schemas),
    ...(example === undefined ? {} : { 'x-example-request': example.request.path }),
  };
}

const media = (schema: JsonSchema, example: unknown): Media =>
  example === undefined ? { schema } : { schema, example };

function parametersOf(operation: Operation, example: Example | undefined): (Parameter | Reference)[] {
  const { path, params, querystring, responses } = operation;
  return [
    ...declared('path', params, example === undefined ? {} : pathValues(path, example.request.path)),
    ...declared('query', querystring, example === undefined ? {} : queryValues(example.request.path)),
    ...('304' in responses ? [parameterRef('IfNoneMatch')] : []),
    ...(canWait(operation) ? [parameterRef('AtLeast'), parameterRef('Wait')] : []),
  ];
}

function declared(
  place: 'path' | 'query',
  declaration: unknown,
  values: Readonly<Record<string, string>>,
): Parameter[] {
  const { properties = {}, required = [] } = declaration === undefined ? {} : plainSchema(declaration);
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: place,
    // What has a default may be left out.
    required: place === 'path' || (required.includes(name) && schema.default === undefined),
    ...(description === undefined ? {} : { description }),
    schema,
    ...(values[name] === undefined ? {} : { example: exampleOf(schema, values[name]) }),
  }));
}

/** A value as the schema has it; of a list, the one member that was given. */
function exampleOf({ type }: JsonSchema, text: string): unknown {
  const types = [type].flat();
  if (types.includes('integer') || types.includes('number')) return Number(text);
  if (types.includes('boolean')) return text === 'true';
  return types.includes('array') ? [text] : text;
}

function pathValues(template: string, path: string): Record<string, string> {
  const pattern = new RegExp(`^${template.replaceAll('.', '\\.').replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);
  const found = pattern.exec(path.split('?', 1)[0] ?? '');
  if (found === null) throw new Error(`${path} is no example of ${template}`);
  return Object.fromEntries(
    Object.entries(found.groups ?? {}).map(([name, text]) => [name, decodeURIComponent(text)]),
  );
}

const queryValues = (path: string): Record<string, string> =>
  Object.fromEntries(new URL(path, 'http://localhost').searchParams);

function responsesOf(
  operation: Operation,
  example: Example | undefined,
  schemas: Record<string, JsonSchema>,
): Record<string, Answer | Reference> {
  const { isPublic, responses } = operation;
  const described = Object.entries(responses).map(([status, schema]) => [
    status.toUpperCase(),
    refusalOf(status, plainSchema(schema)) ?? answerOf(operation, status, example, schemas),
  ]);
  return {
    ...Object.fromEntries(described),
    ...(isPublic ? {} : { 401: answerRef('Unauthorized') }),
    // A beacon says it in the form of its own.
    ...(hasStanding(operation) && operation.security === undefined ? { 429: answerRef('RateLimited') } : {}),
  };
}

/** Reads of this version wait for changes that they are told of, where a key is sent. */
const canWait = ({ isPublic, method, path }: Operation): boolean =>
  !isPublic && method === 'get' && path.startsWith('/api/v2');

/** Previews count by the hour themselves; nobody counts how often the process is asked whether it lives. */
const hasStanding = ({ isUnlimited, path }: Operation): boolean => !isUnlimited || path.startsWith('/api/v2');

function refusalOf(status: string, schema: JsonSchema): Reference | null {
  const text = JSON.stringify(schema);
  const isServers = status.startsWith('5');
  if (text === JSON.stringify(errorSchemas.Error))
    return answerRef(isServers ? 'ServerError' : 'ClientError');
  if (text === JSON.stringify(errorSchemas.BeaconError))
    return answerRef(isServers ? 'BeaconServerError' : 'BeaconClientError');
  return null;
}

function answerOf(
  operation: Operation,
  status: string,
  example: Example | undefined,
  schemas: Record<string, JsonSchema>,
): Answer {
  const { responses } = operation;
  const isFound = status === '200';
  const description =
    status === '304' ? 'What is at hand still holds.' : (STATUS_CODES[status] ?? `Status ${status}`);
  const names = [
    'X-Request-Id' as const,
    ...(hasStanding(operation) ? STANDING : []),
    ...('304' in responses && (isFound || status === '304') ? (['ETag'] as const) : []),
    ...(canWait(operation) && isFound ? ([FRESHNESS] as const) : []),
  ];
  const headers = headerRefs(names);
  if (status === '204' || status === '304') return { description, headers };
  const schema = named(operation.operationId, status, plainSchema(responses[status]), schemas);
  return {
    description,
    headers,
    content: { [JSON_TYPE]: media(schema, isFound ? example?.answer : undefined) },
  };
}

/** The schema under the name of the first operation that answers it. */
function named(
  operationId: string,
  status: string,
  schema: JsonSchema,
  schemas: Record<string, JsonSchema>,
): JsonSchema {
  const text = JSON.stringify(schema);
  const known = Object.entries(schemas).find(([, other]) => JSON.stringify(other) === text);
  if (known !== undefined) return schemaRef(known[0]);
  const suffix = status === '200' ? 'Answer' : `Answer${status}`;
  const name = `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}${suffix}`;
  schemas[name] = schema;
  return schemaRef(name);
}
