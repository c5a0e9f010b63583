import type { TSchema } from '@sinclair/typebox';

/** The schema as it is served, but refusing what it does not declare, at every depth. */
export function closed(schema: TSchema): TSchema {
  if (Array.isArray(schema.anyOf)) return { ...schema, anyOf: schema.anyOf.map(closed) };
  if (schema.type === 'array') return { ...schema, items: closed(schema.items) };
  if (schema.type !== 'object' || schema.properties === undefined) return schema;
  const properties = Object.entries<TSchema>(schema.properties).map(([name, value]) => [name, closed(value)]);
  return { ...schema, properties: Object.fromEntries(properties), additionalProperties: false };
}
