import { columnShape } from '../../../projections/sources/columns.ts';
import type { Source } from '../../../projections/sources/contract.ts';
import { columnDecoder } from './column-decoder.ts';
import type { FieldTypes } from './field-types.ts';
import { withPlainNumbers } from './raw-json.ts';
import { MISSING, NULL_NOT_ALLOWED, type Refusal, type ValueDecoder } from './reason.ts';
import { isPlaceholder, UNAVAILABLE } from './unavailable.ts';

/** A parsed row or key as a message carries it. */
export type WireRow = Readonly<Record<string, unknown>>;

/** A column of the contract, ready to decode. */
export interface Column {
  readonly name: string;
  /** What stands before the value in the row's text. */
  readonly head: string;
  readonly decode: ValueDecoder;
  readonly isNullable: boolean;
  readonly isList: boolean;
  readonly isJson: boolean;
  /** Whether the canonical value is the wire value, so that it need not be taken out of its JSON text. */
  readonly isAsGiven: boolean;
}

export function compileColumns(source: Source, types: FieldTypes | null): readonly Column[] {
  return Object.entries(source.columns).map(([name, schema], index) => {
    const shape = columnShape(schema);
    return {
      name,
      head: `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`,
      decode: columnDecoder(shape, types?.get(name) ?? null),
      isNullable: shape.isNullable,
      isList: shape.isList,
      isJson: shape.encoding === 'json',
      isAsGiven: shape.encoding === 'text' && !shape.isList,
    };
  });
}

/** Canonical JSON text of a column's wire value. An absent nullable column is null. */
export function decodeColumn(column: Column, value: unknown): string | Refusal {
  if (value === null) return column.isNullable ? 'null' : NULL_NOT_ALLOWED;
  if (value === undefined) return column.isNullable ? 'null' : MISSING;
  const text = column.decode(value);
  return typeof text === 'string' ? text : secondLook(column, value, text);
}

/** What was refused may stand for a value that did not change, or hold numbers kept as they were written. */
function secondLook(column: Column, value: unknown, refused: Refusal): string | Refusal {
  if (refused === UNAVAILABLE || isPlaceholder(value)) return UNAVAILABLE;
  const plain = withPlainNumbers(value);
  return plain === value ? refused : column.decode(plain);
}

/** A decoded scalar as plain text, without the quotes and escapes of JSON. */
export function bareText(column: Column, text: string, row: WireRow): string {
  if (column.isAsGiven) return row[column.name] as string;
  return text.charCodeAt(0) === QUOTE ? text.slice(1, -1) : text;
}

const QUOTE = 0x22;
