import { FormatRegistry, type TSchema } from '@sinclair/typebox';

// The validator rejects formats that it does not know.
const FORMATS = {
  date: /^\d{4}-\d\d-\d\d$/,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/,
  uuid: /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/,
};
for (const [format, pattern] of Object.entries(FORMATS))
  FormatRegistry.Set(format, (text) => pattern.test(text));

/** The schema of a route that rejects undeclared members, at every depth. */
export function closed(schema: TSchema): TSchema {
  if (Array.isArray(schema.anyOf)) return { ...schema, anyOf: schema.anyOf.map(closed) };
  if (schema.type === 'array') return { ...schema, items: closed(schema.items) };
  if (schema.type !== 'object' || schema.properties === undefined) return schema;
  const properties = Object.entries<TSchema>(schema.properties).map(([name, value]) => [name, closed(value)]);
  return { ...schema, properties: Object.fromEntries(properties), additionalProperties: false };
}
