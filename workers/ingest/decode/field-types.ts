import type { TimeUnit } from '../../../projections/contracts/columns.ts';

/** Connect decimals have one scale in the schema, or one with each value. */
export interface DecimalType {
  readonly scale: number | 'each';
}

/** The part of a field's schema that changes how its value is read. */
export interface FieldType {
  readonly decimal?: DecimalType;
  readonly unit?: TimeUnit;
  /** The type's name for people, such as `int64 or null`; missing in types that no schema declares. */
  readonly declared?: string;
  /** The type of the values, and of the items of a list. */
  readonly connectType?: string;
  readonly itemType?: string;
}

export type FieldTypes = ReadonlyMap<string, FieldType>;

const UNITS: Readonly<Record<string, TimeUnit>> = {
  'io.debezium.time.Date': 'days',
  'org.apache.kafka.connect.data.Date': 'days',
  'io.debezium.time.Timestamp': 'ms',
  'org.apache.kafka.connect.data.Timestamp': 'ms',
  'io.debezium.time.MicroTimestamp': 'us',
  'io.debezium.time.NanoTimestamp': 'ns',
};

/** The types of a row's columns in the schema of an envelope, of an event that holds one, or of a row alone; null if it declares none. */
export function valueFieldTypes(schema: unknown): FieldTypes | null {
  const after = fieldOf(schema, 'after') ?? fieldOf(fieldOf(schema, 'data'), 'after');
  return structFieldTypes(after ?? schema);
}

const fieldOf = (schema: unknown, name: string): unknown =>
  fieldsOf(schema).find(({ field }) => field === name);

/** The types of a struct's fields, as in a key's schema. */
export function structFieldTypes(schema: unknown): FieldTypes | null {
  const types = new Map<string, FieldType>();
  for (const field of fieldsOf(schema)) {
    if (typeof field.field === 'string')
      types.set(field.field, { ...declaredType(field), ...encodingOf(field) });
  }
  return types.size === 0 ? null : types;
}

function declaredType(field: Record<string, unknown>): FieldType {
  const { type, items, optional } = field;
  if (typeof type !== 'string' && typeof field.name !== 'string') return {};
  const itemType = isRecord(items) && typeof items.type === 'string' ? items.type : undefined;
  return {
    declared: `${typeName(field)}${optional === true ? ' or null' : ''}`,
    ...(typeof type === 'string' && { connectType: type }),
    ...(itemType !== undefined && { itemType }),
  };
}

/** The logical name if it has one, as `io.debezium.time.Date`. */
function typeName({ type, name, items, parameters }: Record<string, unknown>): string {
  if (type === 'array' && isRecord(items)) return `array of ${typeName(items)}`;
  if (typeof name !== 'string') return typeof type === 'string' ? type : 'unknown';
  return isRecord(parameters) && isScalar(parameters.scale) ? `${name}(${parameters.scale})` : name;
}

function encodingOf(field: Record<string, unknown>): FieldType {
  const { name, parameters } = field;
  if (typeof name !== 'string') return {};
  if (name === 'io.debezium.data.VariableScaleDecimal') return { decimal: { scale: 'each' } };
  if (name === 'org.apache.kafka.connect.data.Decimal') {
    const given = isRecord(parameters) ? parameters.scale : undefined;
    const scale = isScalar(given) ? Number(given) : Number.NaN;
    return { decimal: { scale } };
  }
  const unit = Object.hasOwn(UNITS, name) ? UNITS[name] : undefined;
  return unit === undefined ? {} : { unit };
}

function fieldsOf(schema: unknown): Record<string, unknown>[] {
  return isRecord(schema) && Array.isArray(schema.fields) ? schema.fields.filter(isRecord) : [];
}

const isScalar = (value: unknown): value is string | number =>
  typeof value === 'string' || typeof value === 'number';

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
