import type { TSchema } from '@sinclair/typebox';
import { columnShape } from './columns.ts';
import type { Source } from './contract.ts';

export interface SourceJsonSchema {
  readonly $schema: 'https://json-schema.org/draft/2020-12/schema';
  readonly title: string;
  readonly description: string;
  readonly type: 'object';
  readonly required: readonly string[];
  readonly properties: Readonly<Record<string, JsonSchema>>;
  /** Unknown columns are accepted, so a producer may add columns freely. */
  readonly additionalProperties: true;
}

type JsonSchema = Readonly<Record<string, unknown>>;

/** The contract of a producer's row as JSON Schema 2020-12, in canonical form. A nullable column may be absent. */
export function sourceJsonSchema(source: Source): SourceJsonSchema {
  const columns = Object.entries(source.columns);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: source.table,
    description:
      `A row of ${source.table}, owned by ${source.owner}, refreshed ${CADENCE[source.cadence]}. ` +
      `Primary key: ${source.key.join(', ')}. About: ${source.subject.kind}, by ${source.subject.column}.`,
    type: 'object',
    required: columns.filter(([, column]) => !columnShape(column).isNullable).map(([name]) => name),
    properties: Object.fromEntries(columns.map(([name, column]) => [name, withoutEncoding(column)])),
    additionalProperties: true,
  };
}

const CADENCE: Readonly<Record<Source['cadence'], string>> = {
  realtime: 'as it changes',
  hourly: 'hourly',
  daily: 'daily',
  weekly: 'weekly',
  monthly: 'monthly',
};

/** A column's schema as plain JSON, without our decoder's keywords. */
function withoutEncoding({ encoding: _, counts: __, nonFinite: ___, ...schema }: TSchema): JsonSchema {
  const plain: Record<string, unknown> = { ...schema };
  if (schema.items !== undefined) plain.items = withoutEncoding(schema.items);
  if (schema.anyOf !== undefined) plain.anyOf = schema.anyOf.map(withoutEncoding);
  return JSON.parse(JSON.stringify(plain));
}
