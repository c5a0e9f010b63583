import type { JsonSchema } from './document.ts';

/** A change, and what it means for existing clients. */
export interface ApiChange {
  readonly kind: 'breaking' | 'additive';
  /** One sentence without its full stop. */
  readonly text: string;
}

/** Whether clients send or receive the values of the schema. */
export type Direction = 'sent' | 'received';

export interface SchemaComparison {
  readonly direction: Direction;
  /** Name of the value, for the text of changes. */
  readonly at: string;
}

export const breaking = (text: string): ApiChange => ({ kind: 'breaking', text });
export const additive = (text: string): ApiChange => ({ kind: 'additive', text });

const LEAST = ['minimum', 'minLength', 'minItems'] as const;
const MOST = ['maximum', 'maxLength', 'maxItems'] as const;

/** Changes between two versions of a schema without references. Descriptions do not count. */
export function compareSchemas(
  before: JsonSchema,
  after: JsonSchema,
  comparison: SchemaComparison,
): ApiChange[] {
  return [
    ...compareTypes(before, after, comparison),
    ...compareValues(before, after, comparison),
    ...(comparison.direction === 'sent' ? compareBounds(before, after, comparison) : []),
    ...compareProperties(before, after, comparison),
    ...compareInner(before, after, comparison),
  ];
}

const typesOf = ({ type }: JsonSchema): ReadonlySet<string> =>
  new Set(type === undefined ? [] : [type].flat());

const includesType = (types: ReadonlySet<string>, type: string): boolean =>
  types.size === 0 || types.has(type) || (type === 'integer' && types.has('number'));

function compareTypes(
  before: JsonSchema,
  after: JsonSchema,
  { direction, at }: SchemaComparison,
): ApiChange[] {
  const [were, are] = [typesOf(before), typesOf(after)];
  const isSame = were.size === are.size && [...were].every((type) => are.has(type));
  if (isSame) return [];
  const text = `${at} was ${nameOf(were)} and is ${nameOf(are)}`;
  const stillTakesAll = were.size > 0 && [...were].every((type) => includesType(are, type));
  return [direction === 'sent' && stillTakesAll ? additive(text) : breaking(text)];
}

const nameOf = (types: ReadonlySet<string>): string => [...types].sort().join(' or ') || 'of any type';

const valuesOf = (schema: JsonSchema): readonly unknown[] | undefined =>
  schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);

function compareValues(
  before: JsonSchema,
  after: JsonSchema,
  { direction, at }: SchemaComparison,
): ApiChange[] {
  const [were, are] = [valuesOf(before), valuesOf(after)];
  if (were === undefined && are === undefined) return [];
  if (were === undefined)
    return [(direction === 'sent' ? breaking : additive)(`${at} is restricted to some values`)];
  if (are === undefined)
    return [(direction === 'sent' ? additive : breaking)(`${at} can be any value of its type`)];
  return [
    ...were
      .filter((value) => !are.includes(value))
      .map((value) => breaking(`${at} can no longer be ${value}`)),
    ...are.filter((value) => !were.includes(value)).map((value) => additive(`${at} can be ${value}`)),
  ];
}

function compareBounds(before: JsonSchema, after: JsonSchema, { at }: SchemaComparison): ApiChange[] {
  const changes: ApiChange[] = [];
  const compare = (name: keyof JsonSchema, isTighter: boolean): void => {
    if (before[name] === after[name]) return;
    const text = `${at} has ${name} ${after[name] ?? 'none'} instead of ${before[name] ?? 'none'}`;
    changes.push(isTighter ? breaking(text) : additive(text));
  };
  for (const name of LEAST)
    compare(name, (after[name] ?? Number.NEGATIVE_INFINITY) > (before[name] ?? Number.NEGATIVE_INFINITY));
  for (const name of MOST)
    compare(name, (after[name] ?? Number.POSITIVE_INFINITY) < (before[name] ?? Number.POSITIVE_INFINITY));
  for (const name of ['pattern', 'format'] as const) compare(name, after[name] !== undefined);
  return changes;
}

function compareProperties(before: JsonSchema, after: JsonSchema, comparison: SchemaComparison): ApiChange[] {
  const [were, are] = [before.properties ?? {}, after.properties ?? {}];
  const isSent = comparison.direction === 'sent';
  const changes: ApiChange[] = [];
  for (const [name, schema] of Object.entries(were)) {
    const at = memberOf(comparison.at, name);
    const now = are[name];
    if (now === undefined) {
      changes.push(breaking(`${at} was removed`));
      continue;
    }
    changes.push(...compareSchemas(schema, now, { ...comparison, at }));
    const [was, is] = [before, after].map(({ required = [] }) => required.includes(name));
    if (was !== is)
      changes.push((is === isSent ? breaking : additive)(`${at} ${is ? 'is required' : 'is optional'}`));
  }
  for (const name of Object.keys(are)) {
    if (were[name] !== undefined) continue;
    const isDemanded = isSent && after.required?.includes(name);
    changes.push((isDemanded ? breaking : additive)(`${memberOf(comparison.at, name)} was added`));
  }
  return changes;
}

const memberOf = (at: string, name: string): string => `${at}.${name}`;

/** Items, additional members and alternatives. */
function compareInner(before: JsonSchema, after: JsonSchema, comparison: SchemaComparison): ApiChange[] {
  const { at } = comparison;
  return [
    ...compareBoth(before.items, after.items, { ...comparison, at: `${at}[]` }),
    ...compareAdditional(before.additionalProperties, after.additionalProperties, comparison),
    ...compareChoices(before.anyOf, after.anyOf, comparison),
  ];
}

function compareBoth(
  before: JsonSchema | undefined,
  after: JsonSchema | undefined,
  comparison: SchemaComparison,
): ApiChange[] {
  if (before === undefined && after === undefined) return [];
  if (before !== undefined && after !== undefined) return compareSchemas(before, after, comparison);
  return [breaking(`${comparison.at} is described differently`)];
}

type Additional = JsonSchema['additionalProperties'];

function compareAdditional(before: Additional, after: Additional, comparison: SchemaComparison): ApiChange[] {
  const at = `${comparison.at}.*`;
  if (typeof before === 'object' && typeof after === 'object')
    return compareSchemas(before, after, { ...comparison, at });
  if (before === after) return [];
  const isClosing = after === false || typeof after === 'object';
  return [(isClosing ? breaking : additive)(`${at} ${isClosing ? 'is restricted' : 'is open'}`)];
}

function compareChoices(
  before: readonly JsonSchema[] | undefined,
  after: readonly JsonSchema[] | undefined,
  comparison: SchemaComparison,
): ApiChange[] {
  if (before === undefined && after === undefined) return [];
  if (before === undefined || after === undefined || before.length !== after.length)
    return [breaking(`${comparison.at} has other alternatives`)];
  return before.flatMap((schema, index) =>
    compareSchemas(schema, after[index] ?? {}, { ...comparison, at: `${comparison.at}(${index + 1})` }),
  );
}
