import type { TSchema } from '@sinclair/typebox';

/** Keys that are ids or names, not fields. */
const NO_FIELD = /^[0-9a-f]{64}$|[^a-zA-Z0-9_]/;

type Values = readonly unknown[];

const filled = (values: Values): unknown[] => values.filter((value) => value !== null && value !== undefined);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The fields of a schema, by path, that no value fills: each is null, missing or without an item in all of them. */
export function unfilledOf(schema: TSchema, values: Values, path: string): string[] {
  const given = filled(values);
  if (given.length === 0) return [path];
  const variants: TSchema[] = schema.anyOf ?? schema.allOf;
  if (variants !== undefined) {
    const objects = variants.filter(({ type }) => type === 'object' || type === 'array');
    const others = variants.filter(
      (variant) => !objects.includes(variant) && (variant.anyOf ?? variant.allOf),
    );
    return [...objects, ...others].flatMap((variant) => unfilledOf(variant, given, path));
  }
  if (schema.type === 'array' && schema.items !== undefined && !Array.isArray(schema.items))
    return unfilledOf(schema.items, given.filter(Array.isArray).flat(), `${path}[]`);
  if (schema.type !== 'object') return [];
  const objects = given.filter(isObject);
  const fields = Object.entries<TSchema>(schema.properties ?? {}).flatMap(([name, field]) =>
    unfilledOf(
      field,
      objects.map((object) => object[name]),
      `${path}.${name}`,
    ),
  );
  const ofAnyKey = Object.values<TSchema>(schema.patternProperties ?? {}).flatMap((field) =>
    unfilledOf(field, objects.flatMap(Object.values), `${path}.*`),
  );
  return [...fields, ...ofAnyKey];
}

/** The same without a schema: fields that stand in a value, but are filled in none. */
export function neverFilled(values: Values, path: string): string[] {
  const given = filled(values);
  if (given.length === 0) return [path];
  const items = given.filter(Array.isArray);
  const missing = items.length > 0 ? neverFilled(items.flat(), `${path}[]`) : [];
  const fields = new Map<string, unknown[]>();
  for (const object of given.filter(isObject)) {
    for (const [name, value] of Object.entries(object)) {
      const field = NO_FIELD.test(name) ? '*' : name;
      const found = fields.get(field);
      if (found === undefined) fields.set(field, [value]);
      else found.push(value);
    }
  }
  return [...missing, ...[...fields].flatMap(([name, of]) => neverFilled(of, `${path}.${name}`))];
}
