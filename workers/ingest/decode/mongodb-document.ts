import type { Source } from '../../../projections/contracts/contract.ts';
import type { WireRow } from './column-decoder.ts';
import { parseJson } from './json.ts';
import type { Reason } from './reason.ts';
import type { RowDecoder } from './row-decoder.ts';

/**
 * The row of a document as MongoDB's connector writes it: extended JSON as text. Its key columns come from `_id`, because
 * a delete has nothing else: a scalar for one column, a document of the columns for several.
 */
export function documentRow({ source, parse, decodeKey }: RowDecoder, text: string): WireRow | Reason {
  let document: unknown;
  try {
    // Values nested too deeply, and objects in the place of numbers, throw here too.
    document = plainValue(parse(text));
  } catch {
    return 'not_json';
  }
  if (!isDocument(document) || JSON.isRawJSON(document)) return 'not_a_row';
  const { _id: id, ...fields } = document;
  const key = keyColumns(source, id);
  if (key === null) return fields;
  const own = source.key.every((name) => fields[name] === undefined)
    ? null
    : decodeKey({ ...key, ...fields });
  if (own !== null && (own.violations !== null || own.key !== keyOf(decodeKey(key)))) return 'not_the_id';
  return { ...fields, ...key };
}

const keyOf = (decoded: ReturnType<RowDecoder['decodeKey']>): string | null =>
  decoded.violations === null ? decoded.key : null;

/** The key columns in the key of a MongoDB record, whose only member `id` is extended JSON as text; null for any other key. */
export function documentKey(source: Source, payload: WireRow): WireRow | null {
  if (typeof payload.id !== 'string' || Object.keys(payload).length > 1 || source.key.includes('id'))
    return null;
  try {
    return keyColumns(source, plainValue(parseJson(payload.id)));
  } catch {
    return null;
  }
}

function keyColumns({ key }: Source, id: unknown): WireRow | null {
  if (isDocument(id) && !JSON.isRawJSON(id)) return id;
  const [column] = key;
  return key.length === 1 && column !== undefined && id !== undefined ? { [column]: id } : null;
}

/** A value of extended JSON, in the strict mode that the connector writes or the canonical one, as rows have it. */
function plainValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainValue);
  if (!isDocument(value) || JSON.isRawJSON(value)) return value;
  const [first] = Object.keys(value);
  const scalar = first?.startsWith('$') ? SCALARS[first]?.(value[first], value) : undefined;
  if (scalar !== undefined) return scalar;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plainValue(member)]));
}

/** The types that JSON lacks, by the name that marks them; undefined for what is no such value. */
const SCALARS: Readonly<Record<string, (value: unknown, whole: WireRow) => unknown>> = {
  $oid: textOrNone,
  $symbol: textOrNone,
  $uuid: textOrNone,
  $numberDecimal: textOrNone,
  $numberInt: wholeNumber,
  $numberLong: wholeNumber,
  $numberDouble: textOrNone,
  $date: (value) =>
    typeof value === 'string' ? value : instant(Number(isDocument(value) ? value.$numberLong : value)),
  $timestamp: (value) => (isDocument(value) ? instant(Number(value.t) * 1_000) : undefined),
  $binary: (value, { $type }) =>
    isDocument(value) ? bytes(value.base64, value.subType) : bytes(value, $type),
};

function textOrNone(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function wholeNumber(value: unknown): number | bigint | undefined {
  if (typeof value !== 'string' || !/^-?\d{1,19}$/.test(value)) return;
  return Number.isSafeInteger(Number(value)) ? Number(value) : BigInt(value);
}

const MAX_INSTANT = 8.64e15;

/** @param timeMs milliseconds since 1970 */
const instant = (timeMs: number): string | undefined =>
  Math.abs(timeMs) <= MAX_INSTANT ? new Date(timeMs).toISOString() : undefined;

const UUID = '04';
const UUID_PARTS = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/;

/** Base64 as it is, and a UUID as such. */
function bytes(base64: unknown, type: unknown): string | undefined {
  if (typeof base64 !== 'string') return;
  return type === UUID
    ? Buffer.from(base64, 'base64').toString('hex').replace(UUID_PARTS, '$1-$2-$3-$4-$5')
    : base64;
}

const isDocument = (value: unknown): value is WireRow =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
