import { columnShape } from '../../../projections/contracts/columns.ts';
import type { Source } from '../../../projections/contracts/contract.ts';
import type { Column, WireRow } from './column-decoder.ts';
import type { FieldTypes } from './field-types.ts';
import { isPlaceholder, type Reason } from './reason.ts';

/** A column as it is sent. */
export interface SentColumn {
  /** The type in the messages' schema, or `JSON` and the kind of its values; null while only nulls were sent. */
  readonly type: string | null;
  /** False if the contract has the column, and its decoder rejects every value of the type. */
  readonly isReadable: boolean;
}

/** The columns of a row as they are sent, in their order. Rows of one shape share one object. */
export type RowShape = ReadonlyMap<string, SentColumn>;

const NUMBERS = [1, 0.5, 20_000, 1.7e12, 1.7e15];
const BYTES = [`${'A'.repeat(43)}=`, 'AQ=='];
const TEXTS = ['a', '1', 'true', '2020', '2020-01-01', '2020-01-01T00:00:00Z', '{}'].concat(
  'a'.repeat(64),
  '00000000-0000-0000-0000-000000000000',
);
const OBJECTS = [{}, { scale: 0, value: 'AQ==' }];

/** Values of each type, among them one for every encoding that reads the type: by JSON kind and by Connect type. */
const EXAMPLES: Readonly<Record<string, readonly unknown[]>> = {
  number: NUMBERS,
  // Bytes are text in JSON.
  string: [...TEXTS, ...BYTES],
  boolean: [true],
  array: [[]],
  object: OBJECTS,
  int8: NUMBERS,
  int16: NUMBERS,
  int32: NUMBERS,
  int64: NUMBERS,
  float: NUMBERS,
  double: NUMBERS,
  bytes: BYTES,
  map: OBJECTS,
  struct: OBJECTS,
};

/** A value of the type may still be wrong for other reasons, such as its range. */
const OF_TYPE: ReadonlySet<Reason> = new Set<Reason>([
  'bad_item',
  'not_array',
  'not_bool',
  'not_date',
  'not_hex32',
  'not_int',
  'not_json',
  'not_num',
  'not_partial_date',
  'not_text',
  'not_ts',
  'not_uuid',
]);

/** The shape that a message's own schema declares. */
export function declaredShape(source: Source, columns: readonly Column[], types: FieldTypes): RowShape {
  const byName = columnsByName(columns);
  return new Map(
    [...types].map(([name, { declared = null, connectType, itemType }]) => {
      const examples = examplesOf(connectType, itemType);
      return [name, { type: declared, isReadable: isReadable(source, byName.get(name), examples) }];
    }),
  );
}

/** Null if the type is unknown. */
function examplesOf(type: string | undefined, items?: string): readonly unknown[] | null {
  const ofItems = type === 'array' && items !== undefined ? examplesOf(items) : null;
  if (ofItems !== null) return ofItems.map((item) => [item]);
  return type !== undefined && Object.hasOwn(EXAMPLES, type) ? (EXAMPLES[type] ?? null) : null;
}

/** @param examples values of the type; null if it is unknown */
function isReadable(
  source: Source,
  column: Column | undefined,
  examples: readonly unknown[] | null,
): boolean {
  if (column === undefined || examples === null) return true;
  const { values, isList } = columnShape(source.columns[column.name] as (typeof source.columns)[string]);
  const allowed = (values ?? []).filter((value) => examples.some((one) => typeof one === typeof value));
  const all = [...examples, ...(isList ? [] : allowed)];
  return all.some((example) => {
    const decoded = column.decode(example);
    return typeof decoded === 'string' || !OF_TYPE.has(decoded.reason) || (isList && values !== null);
  });
}

const columnsByName = (columns: readonly Column[]): ReadonlyMap<string, Column> =>
  new Map(columns.map((column) => [column.name, column]));

interface SeenShape {
  readonly names: readonly string[];
  /** By index: null while only nulls were seen, `any` for a column that holds JSON of every kind. */
  readonly kinds: readonly (string | null)[];
  readonly shape: RowShape;
}

const ANY = 'any';
const UNSEEN: SeenShape = { names: [], kinds: [], shape: new Map() };

/**
 * Compiles a reader of the shapes of rows without a schema. It compares a row with the two newest shapes, because nearly
 * all rows have the shape of the row before.
 */
export function shapeReader(source: Source, columns: readonly Column[]): (row: WireRow) => RowShape {
  const byName = columnsByName(columns);
  let latest = UNSEEN;
  let former = UNSEEN;
  const see = (row: WireRow, names: readonly string[], before: SeenShape): SeenShape => {
    const kinds = names.map((name) => {
      if (byName.get(name)?.isJson) return ANY;
      return kindOf(row[name]) ?? before.kinds[before.names.indexOf(name)] ?? null;
    });
    const sent = names.map((name, index): [string, SentColumn] => {
      const kind = kinds[index] ?? null;
      const isKnown = kind !== null && kind !== ANY;
      const examples = isKnown ? examplesOf(kind) : null;
      return [
        name,
        {
          type: isKnown ? `JSON ${kind}` : null,
          isReadable: isReadable(source, byName.get(name), examples),
        },
      ];
    });
    return { names, kinds, shape: new Map(sent) };
  };
  return (row) => {
    const names = Object.keys(row);
    if (fits(row, names, latest)) return latest.shape;
    [latest, former] = [former, latest];
    if (!fits(row, names, latest)) latest = see(row, names, former);
    return latest.shape;
  };
}

function fits(row: WireRow, names: readonly string[], { names: known, kinds }: SeenShape): boolean {
  if (names.length !== known.length || names.length === 0) return false;
  for (let index = 0; index < names.length; index++) {
    const name = names[index] as string;
    if (name !== known[index]) return false;
    const value = row[name];
    const kind = kinds[index];
    if (value === null || typeof value === kind || kind === ANY) continue;
    const actual = kindOf(value);
    if (actual !== null && actual !== kind) return false;
  }
  return true;
}

const NOT_FINITE = /^(?:NaN|[+-]?Infinity)$/i;

/** The kind of a value; null if it says nothing about its column's type. */
function kindOf(value: unknown): string | null {
  if (value === null || value === undefined || isPlaceholder(value)) return null;
  if (typeof value === 'bigint' || JSON.isRawJSON(value)) return 'number';
  if (typeof value === 'string') return NOT_FINITE.test(value) ? null : 'string';
  if (!Array.isArray(value)) return typeof value;
  return value.length === 1 && isPlaceholder(value[0]) ? null : 'array';
}
