import { type ColumnShape, columnShape, type Encoding } from '../../../projections/contracts/columns.ts';
import type { Source, TimePrecisionMode } from '../../../projections/contracts/contract.ts';
import type { FieldType, FieldTypes } from './field-types.ts';
import { withPlainNumbers } from './json.ts';
import {
  isPlaceholder,
  MISSING,
  NULL_NOT_ALLOWED,
  type Rejection,
  rejection,
  UNAVAILABLE,
  type ValueDecoder,
} from './reason.ts';
import { dateDecoder, decodePartialDate } from './values/date.ts';
import { decodeHex, decodeUuid } from './values/hex.ts';
import { decodeJson } from './values/json.ts';
import { listDecoder } from './values/list.ts';
import { decodeBool, intDecoder, numDecoder } from './values/number.ts';
import { decodeText } from './values/text.ts';
import { timestampDecoder } from './values/timestamp.ts';

/** A parsed row or key of a message. */
export type WireRow = Readonly<Record<string, unknown>>;

/** A column of the contract, ready to decode. */
export interface Column {
  readonly name: string;
  /** The text before the value in the row's text. */
  readonly head: string;
  readonly decode: ValueDecoder;
  readonly isNullable: boolean;
  readonly isList: boolean;
  readonly isJson: boolean;
  /** Whether the canonical value equals the wire value, so that its JSON text need not be parsed. */
  readonly isAsGiven: boolean;
}

export function compileColumns(source: Source, types: FieldTypes | null): readonly Column[] {
  return Object.entries(source.columns).map(([name, schema], index) => {
    const shape = columnShape(schema);
    return {
      name,
      head: `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`,
      decode: columnDecoder(shape, types?.get(name) ?? null, source.timePrecisionMode),
      isNullable: shape.isNullable,
      isList: shape.isList,
      isJson: shape.encoding === 'json',
      isAsGiven: shape.encoding === 'text' && !shape.isList,
    };
  });
}

/** Canonical JSON text of a column's wire value. An absent nullable column is null. */
export function decodeColumn(column: Column, value: unknown): string | Rejection {
  if (value === null) return column.isNullable ? 'null' : NULL_NOT_ALLOWED;
  if (value === undefined) return column.isNullable ? 'null' : MISSING;
  const text = column.decode(value);
  return typeof text === 'string' ? text : decodeAgain(column, value, text);
}

/** A rejected value may be a placeholder for an unchanged one, or contain numbers in their original notation. */
function decodeAgain(column: Column, value: unknown, rejected: Rejection): string | Rejection {
  if (rejected === UNAVAILABLE || isPlaceholder(value)) return UNAVAILABLE;
  const plain = withPlainNumbers(value);
  return plain === value ? rejected : column.decode(plain);
}

/** A decoded scalar as plain text, without quotes and escapes. */
export function bareText(column: Column, text: string, row: WireRow): string {
  if (column.isAsGiven) return row[column.name] as string;
  return text.charCodeAt(0) === QUOTE ? text.slice(1, -1) : text;
}

const QUOTE = 0x22;

const NOT_IN_LIST = rejection('not_in_list');

type MakeDecoder = (
  type: FieldType | null,
  shape: ColumnShape,
  mode: TimePrecisionMode | null,
) => ValueDecoder;

const DECODERS: Readonly<Record<Encoding, MakeDecoder>> = {
  hex: () => decodeHex,
  text: () => decodeText,
  int: intDecoder,
  num: numDecoder,
  bool: () => decodeBool,
  date: dateDecoder,
  partial_date: () => decodePartialDate,
  ts: timestampDecoder,
  uuid: () => decodeUuid,
  json: () => decodeJson,
};

/**
 * The decoder of a column's values other than null.
 *
 * @param type from the message's own schema; null without one
 * @param mode the connector's setting for counts of time; null if the contract does not state it
 */
export function columnDecoder(
  shape: ColumnShape,
  type: FieldType | null,
  mode: TimePrecisionMode | null,
): ValueDecoder {
  const open = DECODERS[shape.encoding](type, shape, mode);
  const decode = shape.values === null ? open : closedDecoder(open, shape.values);
  if (shape.isList) return listDecoder(decode);
  return shape.encoding === 'json' && !shape.isNullable ? rejectNullText(decode) : decode;
}

function closedDecoder(open: ValueDecoder, values: readonly unknown[]): ValueDecoder {
  const allowed = new Set(values.map((value) => JSON.stringify(value)));
  return (value) => {
    const text = open(value);
    return typeof text !== 'string' || allowed.has(text) ? text : NOT_IN_LIST;
  };
}

/** JSON text may itself be `null`. */
function rejectNullText(decode: ValueDecoder): ValueDecoder {
  return (value) => {
    const text = decode(value);
    return text === 'null' ? NULL_NOT_ALLOWED : text;
  };
}
