import type { ColumnShape, Encoding } from '../../../projections/sources/columns.ts';
import type { FieldType } from './field-types.ts';
import { NULL_NOT_ALLOWED, refusal, type ValueDecoder } from './reason.ts';
import { dateDecoder, decodePartialDate } from './values/date.ts';
import { decodeHex } from './values/hex.ts';
import { decodeJson } from './values/json.ts';
import { listDecoder } from './values/list.ts';
import { decodeBool, intDecoder, numDecoder } from './values/number.ts';
import { decodeText } from './values/text.ts';
import { timestampDecoder } from './values/timestamp.ts';
import { decodeUuid } from './values/uuid.ts';

const NOT_IN_LIST = refusal('not_in_list');

const DECODERS: Readonly<Record<Encoding, (type: FieldType | null) => ValueDecoder>> = {
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
 * The decoder of a column's values, null and absence aside.
 *
 * @param type what the message's own schema says of the column; null without one
 */
export function columnDecoder(shape: ColumnShape, type: FieldType | null): ValueDecoder {
  const open = DECODERS[shape.encoding](type);
  const decode = shape.values === null ? open : closedDecoder(open, shape.values);
  if (shape.isList) return listDecoder(decode);
  return shape.encoding === 'json' && !shape.isNullable ? refuseNullText(decode) : decode;
}

function closedDecoder(open: ValueDecoder, values: readonly unknown[]): ValueDecoder {
  const allowed = new Set(values.map((value) => JSON.stringify(value)));
  return (value) => {
    const text = open(value);
    return typeof text !== 'string' || allowed.has(text) ? text : NOT_IN_LIST;
  };
}

/** JSON text may itself say null. */
function refuseNullText(decode: ValueDecoder): ValueDecoder {
  return (value) => {
    const text = decode(value);
    return text === 'null' ? NULL_NOT_ALLOWED : text;
  };
}
