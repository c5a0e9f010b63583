import { type Static, type TArray, type TNull, type TSchema, type TUnion, Type } from '@sinclair/typebox';

/** The encodings of column values; the decoder of that name converts a value to its canonical form. */
export type Encoding =
  | 'hex'
  | 'text'
  | 'int'
  | 'num'
  | 'bool'
  | 'date'
  | 'partial_date'
  | 'ts'
  | 'uuid'
  | 'json';

/** What an integer counts since 1970. */
export type TimeUnit = 'days' | 'ms' | 'us' | 'ns';

/** How the counts of a `ts` column are read. Text needs none of it. */
export interface CountRule {
  /** What a message without a schema counts; without it, the source's `timePrecisionMode` decides. */
  readonly unit?: Exclude<TimeUnit, 'days'>;
  /** The first and the last plausible day, YYYY-MM-DD: a count outside was read in the wrong unit. */
  readonly from?: string;
  readonly to?: string;
}

declare module '@sinclair/typebox' {
  interface SchemaOptions {
    encoding?: Encoding;
    counts?: CountRule;
    nonFinite?: boolean;
  }
}

export const MAX_TEXT_LENGTH = 20_000;
export const MAX_LIST_LENGTH = 1_000;

/** A 32-byte cluster id as 64 lower-case hex digits. */
export const hex = () => Type.String({ encoding: 'hex', pattern: '^[0-9a-f]{64}$' });

export const text = () => Type.String({ encoding: 'text', maxLength: MAX_TEXT_LENGTH });

/** Text from a closed list. */
export const oneOf = <const V extends string[]>(...values: V) =>
  Type.Unsafe<V[number]>({ type: 'string', enum: values, encoding: 'text' });

export const int = () => Type.Integer({ encoding: 'int' });

/** An integer from a closed list. */
export const intOneOf = <const V extends number[]>(...values: V) =>
  Type.Unsafe<V[number]>({ type: 'integer', enum: values, encoding: 'int' });

/** A number of double precision. */
export const num = () => Type.Number({ encoding: 'num' });

const NON_FINITE = ['NaN', 'Infinity', '-Infinity'] as const;
export type NonFinite = (typeof NON_FINITE)[number];

/** A number that may also be NaN or infinite. JSON has no such numbers, so they are texts, as PostgreSQL writes them. */
export const anyNum = () =>
  Type.Unsafe<number | NonFinite>({
    oneOf: [{ type: 'number' }, { enum: [...NON_FINITE] }],
    encoding: 'num',
    nonFinite: true,
  });

export const bool = () => Type.Boolean({ encoding: 'bool' });

/** A calendar day, YYYY-MM-DD. */
export const date = () => Type.String({ encoding: 'date', format: 'date' });

/** A day of known precision: YYYY, YYYY-MM or YYYY-MM-DD. */
export const partialDate = () =>
  Type.String({
    encoding: 'partial_date',
    pattern: '^\\d{4}(-\\d{2}(-\\d{2})?)?$',
  });

/** A UTC instant without a fraction, YYYY-MM-DDTHH:MM:SSZ. */
export const ts = (counts: CountRule = {}) => Type.String({ encoding: 'ts', format: 'date-time', counts });

export const uuid = () => Type.String({ encoding: 'uuid', format: 'uuid' });

/** A JSON object or array. */
export const json = () => Type.Unknown({ encoding: 'json' });

export const list = <T extends TSchema>(item: T): TArray<T> =>
  Type.Array(item, { maxItems: MAX_LIST_LENGTH });

/** A column that may be null or, equivalently, absent from a message. */
export const nullable = <T extends TSchema>(column: T): TUnion<[T, TNull]> =>
  Type.Union([column, Type.Null()]);

/** A column's schema, as the decoder needs it. */
export interface ColumnShape {
  readonly encoding: Encoding;
  readonly isList: boolean;
  readonly isNullable: boolean;
  /** The closed list of values; null if there is none. */
  readonly values: readonly unknown[] | null;
  /** How counts of an instant are read. */
  readonly counts: CountRule;
  /** Whether a number may be NaN or infinite. */
  readonly nonFinite: boolean;
}

export function columnShape(column: TSchema): ColumnShape {
  const isNullable = Array.isArray(column.anyOf);
  const present: TSchema = isNullable ? column.anyOf[0] : column;
  const isList = present.type === 'array';
  const value: TSchema = isList ? present.items : present;
  if (value.encoding === undefined)
    throw new Error(`a column was declared without an encoding: ${JSON.stringify(column)}`);
  return {
    encoding: value.encoding,
    isList,
    isNullable,
    values: value.enum ?? null,
    counts: value.counts ?? {},
    nonFinite: value.nonFinite ?? false,
  };
}

export type Columns = Readonly<Record<string, TSchema>>;
export type RowOf<C extends Columns> = {
  readonly [K in keyof C]: Static<C[K]>;
};
