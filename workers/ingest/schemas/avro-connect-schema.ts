import { isRecord } from '../decode/message.ts';

/** What Avro's own logical types are in Connect. */
const LOGICAL: Readonly<Record<string, string>> = {
  date: 'org.apache.kafka.connect.data.Date',
  'timestamp-millis': 'org.apache.kafka.connect.data.Timestamp',
  'timestamp-micros': 'io.debezium.time.MicroTimestamp',
  decimal: 'org.apache.kafka.connect.data.Decimal',
};

/** What Avro's types are in Connect. */
const CONNECT: Readonly<Record<string, string>> = {
  boolean: 'boolean',
  int: 'int32',
  long: 'int64',
  float: 'float',
  double: 'double',
  bytes: 'bytes',
  fixed: 'bytes',
  string: 'string',
  enum: 'string',
  array: 'array',
  map: 'map',
  record: 'struct',
};

type Definition = Readonly<Record<string, unknown>>;

/**
 * The last of some Avro schemas in the form that Connect's JSON messages have it, as deep as the columns of a row. Types
 * that it names may be defined by those before it.
 */
export function avroConnectSchema(schemas: readonly unknown[]): unknown {
  const defined = new Map<string, Definition>();
  for (const schema of schemas) define(schema, '', defined);
  const last = schemas.at(-1);
  const fields = Array.from({ length: MAX_DEPTH }, () => new Map());
  return structOf(last, { defined, fields }, 0);
}

/** An event, its envelope, its row, a column. */
const MAX_DEPTH = 4;

/** Finds the types with names, which may be used before the end of the schema. */
function define(schema: unknown, around: string, defined: Map<string, Definition>): void {
  if (Array.isArray(schema)) {
    for (const branch of schema) define(branch, around, defined);
    return;
  }
  if (!isRecord(schema)) return;
  let namespace = around;
  if (typeof schema.name === 'string') {
    const name = fullName(schema.name, typeof schema.namespace === 'string' ? schema.namespace : around);
    namespace = name.slice(0, Math.max(0, name.lastIndexOf('.')));
    defined.set(name, schema);
    // Names are looked up without their namespace too: within one message they do not repeat.
    if (!defined.has(schema.name)) defined.set(schema.name, schema);
  }
  define(schema.type, namespace, defined);
  define(schema.items, namespace, defined);
  define(schema.values, namespace, defined);
  if (Array.isArray(schema.fields))
    for (const field of schema.fields) define(isRecord(field) ? field.type : null, namespace, defined);
}

const fullName = (name: string, namespace: string): string =>
  name.includes('.') || namespace === '' ? name : `${namespace}.${name}`;

interface Types {
  readonly defined: ReadonlyMap<string, Definition>;
  /** The fields of types by depth: a type may contain itself in each of many columns. */
  readonly fields: readonly Map<Definition, readonly Definition[]>[];
}

function structOf(schema: unknown, types: Types, depth: number): Definition {
  const type = resolve(schema, types.defined);
  if (type === null) return {};
  const isDeep = depth >= MAX_DEPTH;
  const name = type['connect.name'] ?? LOGICAL[String(type.logicalType)];
  return {
    type: type['connect.type'] ?? CONNECT[String(type.type)],
    optional: Array.isArray(schema) && schema.includes('null'),
    items: type.items === undefined || isDeep ? undefined : structOf(type.items, types, depth + 1),
    name,
    parameters:
      type['connect.parameters'] ?? (name === LOGICAL.decimal ? { scale: type.scale ?? 0 } : undefined),
    fields: isDeep ? [] : fieldsOf(type, types, depth),
  };
}

function fieldsOf(type: Definition, types: Types, depth: number): readonly Definition[] {
  const known = types.fields[depth]?.get(type);
  if (known !== undefined) return known;
  const fields = Array.isArray(type.fields) ? type.fields.filter(isRecord) : [];
  const read = fields.map((field) => ({ ...structOf(field.type, types, depth + 1), field: field.name }));
  types.fields[depth]?.set(type, read);
  return read;
}

/** The definition behind a union with null, a name, or a type within a type; null if there is none. */
function resolve(schema: unknown, defined: ReadonlyMap<string, Definition>): Definition | null {
  if (Array.isArray(schema))
    return resolve(
      schema.find((branch) => branch !== 'null'),
      defined,
    );
  if (typeof schema === 'string') return defined.get(schema) ?? { type: schema };
  if (!isRecord(schema)) return null;
  const isPlain = typeof schema.type === 'string' && !defined.has(schema.type);
  return isPlain ? schema : resolve(schema.type, defined);
}
