import { type ApiChange, additive, breaking, compareSchemas, type Direction } from './compare-schemas.ts';
import type {
  ApiDocument,
  JsonSchema,
  OperationObject,
  ParameterObject,
  Reference,
  ResponseObject,
} from './document.ts';

type Named<T> = Readonly<Record<string, T>>;

/** Changes between two versions of a document, breaking ones first. Examples and descriptions do not count. */
export function compareApis(before: ApiDocument, after: ApiDocument): ApiChange[] {
  const changes: ApiChange[] = [];
  for (const [path, operations] of Object.entries(before.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const name = `${method.toUpperCase()} ${path}`;
      const now = after.paths[path]?.[method];
      if (now === undefined) changes.push(breaking(`${name} was removed`));
      else changes.push(...compareOperations(name, [before, operation], [after, now]));
    }
  }
  for (const [path, operations] of Object.entries(after.paths))
    for (const method of Object.keys(operations))
      if (before.paths[path]?.[method] === undefined)
        changes.push(additive(`${method.toUpperCase()} ${path} was added`));
  changes.push(...compareCodes(before, after));
  return changes.sort((a, b) => Number(a.kind === 'additive') - Number(b.kind === 'additive'));
}

function compareCodes(before: ApiDocument, after: ApiDocument): ApiChange[] {
  const [were, are] = [before['x-error-codes'], after['x-error-codes']];
  const changes: ApiChange[] = [];
  for (const [code, { status }] of Object.entries(were)) {
    const now = are[code]?.status;
    if (now === undefined) changes.push(breaking(`the error ${code} was removed`));
    else if (now !== status)
      changes.push(breaking(`the error ${code} has status ${now} instead of ${status}`));
  }
  for (const code of Object.keys(are))
    if (were[code] === undefined) changes.push(additive(`the error ${code} was added`));
  return changes;
}

type Located = readonly [ApiDocument, OperationObject];

function compareOperations(name: string, [before, was]: Located, [after, is]: Located): ApiChange[] {
  const changes: ApiChange[] = [];
  if (was.operationId !== is.operationId)
    changes.push(breaking(`${name} has the operationId ${is.operationId} instead of ${was.operationId}`));
  if (JSON.stringify(was.security) !== JSON.stringify(is.security)) {
    const text = `${name} requires other credentials`;
    changes.push(is.security.length === 0 ? additive(text) : breaking(text));
  }
  return [
    ...changes,
    ...compareParameters(name, parametersOf(before, was), parametersOf(after, is)),
    ...compareBodies(name, [before, was], [after, is]),
    ...compareResponses(name, [before, was], [after, is]),
  ];
}

function parametersOf({ components }: ApiDocument, { parameters }: OperationObject): Named<ParameterObject> {
  const own = parameters.map((given) => ('$ref' in given ? followed(components.parameters, given) : given));
  return Object.fromEntries(own.map((parameter) => [`${parameter.in} ${parameter.name}`, parameter]));
}

function compareParameters(
  operation: string,
  were: Named<ParameterObject>,
  are: Named<ParameterObject>,
): ApiChange[] {
  const changes: ApiChange[] = [];
  for (const [id, was] of Object.entries(were)) {
    const at = `${operation}: ${was.name}`;
    const is = are[id];
    if (is === undefined) {
      changes.push(breaking(`${at} was removed`));
      continue;
    }
    if (was.required !== is.required)
      changes.push(is.required ? breaking(`${at} is required`) : additive(`${at} is optional`));
    changes.push(...compareSchemas(was.schema, is.schema, { direction: 'sent', at }));
  }
  for (const [id, { name, required }] of Object.entries(are))
    if (were[id] === undefined)
      changes.push((required ? breaking : additive)(`${operation}: ${name} was added`));
  return changes;
}

function compareBodies(name: string, [before, was]: Located, [after, is]: Located): ApiChange[] {
  if (was.requestBody === undefined)
    return is.requestBody === undefined ? [] : [breaking(`${name} requires a body`)];
  if (is.requestBody === undefined) return [breaking(`${name} no longer takes a body`)];
  return compareContent([before, was.requestBody.content], [after, is.requestBody.content], {
    at: `${name}: body`,
    direction: 'sent',
  });
}

type LocatedContent = readonly [ApiDocument, ResponseObject['content']];

function compareContent(
  [before, were]: LocatedContent,
  [after, are]: LocatedContent,
  { at, direction }: { readonly at: string; readonly direction: Direction },
): ApiChange[] {
  const changes = Object.entries(were ?? {}).flatMap(([type, was]) => {
    const is = are?.[type];
    return is === undefined
      ? [breaking(`${at} is no longer ${type}`)]
      : compareSchemas(resolved(before, was.schema), resolved(after, is.schema), { direction, at });
  });
  for (const type of Object.keys(are ?? {}))
    if (were !== undefined && were[type] === undefined) changes.push(additive(`${at} can be ${type}`));
  return changes;
}

function compareResponses(name: string, [before, was]: Located, [after, is]: Located): ApiChange[] {
  const changes: ApiChange[] = [];
  for (const [status, given] of Object.entries(was.responses)) {
    const at = `${name}: ${status}`;
    const [old, now] = [responseOf(before, given), responseOf(after, is.responses[status])];
    if (old === undefined || now === undefined) {
      changes.push(breaking(`${at} was removed`));
      continue;
    }
    for (const header of Object.keys(old.headers ?? {}))
      if (now.headers?.[header] === undefined) changes.push(breaking(`${at}: ${header} was removed`));
    for (const header of Object.keys(now.headers ?? {}))
      if (old.headers?.[header] === undefined) changes.push(additive(`${at}: ${header} was added`));
    changes.push(
      ...compareContent([before, old.content], [after, now.content], { at, direction: 'received' }),
    );
  }
  for (const status of Object.keys(is.responses))
    if (was.responses[status] === undefined) changes.push(additive(`${name}: ${status} was added`));
  return changes;
}

const responseOf = (
  { components }: ApiDocument,
  given: ResponseObject | Reference | undefined,
): ResponseObject | undefined =>
  given !== undefined && '$ref' in given ? followed(components.responses, given) : given;

/** @throws Error if the reference has no target */
function followed<T>(components: Named<T>, { $ref }: Reference): T {
  const found = components[$ref.slice($ref.lastIndexOf('/') + 1)];
  if (found === undefined) throw new Error(`${$ref} is not in the document`);
  return found;
}

/** Only whole bodies are references, or references with narrower members; parts of bodies never are. */
function resolved(document: ApiDocument, schema: JsonSchema): JsonSchema {
  const { $ref, allOf } = schema;
  if ($ref !== undefined) return followed(document.components.schemas, { $ref });
  if (allOf === undefined) return schema;
  const parts = allOf.map((part) => resolved(document, part));
  const properties = Object.assign({}, ...parts.map((part) => part.properties));
  return Object.assign({}, ...parts, { properties });
}
