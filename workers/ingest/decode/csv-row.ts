import { columnShape, type Encoding } from '../../../projections/contracts/columns.ts';
import type { Source } from '../../../projections/contracts/contract.ts';
import type { WireRow } from './column-decoder.ts';
import { parseJson } from './json.ts';

/** The text of a cell: null without any text, empty for a pair of quotes. */
export type Cell = string | null;

/** Converts a cell's text for its column's decoder. Text that it cannot read is left for the decoder to reject. */
type ReadCell = (text: string) => unknown;

/**
 * Compiles the reader of a CSV file's records: from cells to a row for the column decoders. Unknown columns stay text.
 *
 * @returns a reader, which returns null if the number of cells differs from the header
 * @throws if the header names a column twice or leaves one without a name
 */
export function compileCsvRow(
  source: Source,
  header: readonly Cell[],
): (cells: readonly Cell[]) => WireRow | null {
  const names = header.map((name, index) => {
    if (name === null || name === '' || name === '__proto__')
      throw new Error(`column ${index + 1} of the header has no name that a column can have`);
    if (header.indexOf(name) < index) throw new Error(`the header names ${name} twice`);
    return name;
  });
  const readers = names.map((name) => cellReader(source, name));
  return (cells) => {
    if (cells.length !== names.length) return null;
    const row: Record<string, unknown> = {};
    for (let index = 0; index < readers.length; index++) {
      const text = cells[index] as Cell;
      row[names[index] as string] = text === null ? null : (readers[index] as ReadCell)(text);
    }
    return row;
  };
}

function cellReader(source: Source, name: string): ReadCell {
  const column = Object.hasOwn(source.columns, name) ? source.columns[name] : undefined;
  if (column === undefined) return asText;
  const { encoding, isList } = columnShape(column);
  const readItem = ITEMS[encoding] ?? asText;
  return isList ? (text) => readList(text, readItem) : readItem;
}

const asText: ReadCell = (text) => text;

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['t', true],
  ['true', true],
  ['f', false],
  ['false', false],
]);

const WHOLE_NUMBER = /^-?\d{1,20}$/;

/** Days and instants may be integers, which the decoders expect as numbers; they read other text themselves. */
function readCount(text: string): unknown {
  if (!WHOLE_NUMBER.test(text)) return text;
  const count = Number(text);
  return Number.isSafeInteger(count) ? count : BigInt(text);
}

const ITEMS: Readonly<Partial<Record<Encoding, ReadCell>>> = {
  bool: (text) => BOOLEANS.get(text) ?? text,
  date: readCount,
  ts: readCount,
};

/** A list as JSON text or as a PostgreSQL array. */
function readList(text: string, readItem: ReadCell): unknown {
  if (text.startsWith('{')) {
    return parseArrayText(text)?.map((item) => (item === null ? null : readItem(item))) ?? text;
  }
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

/** One item, quoted with escapes or bare, and its end. PostgreSQL ignores ASCII white space around it. */
const ITEM =
  /[ \t\n\r\v\f]*(?:"([^"\\]*(?:\\.[^"\\]*)*)"|([^",{}\\ \t\n\r\v\f](?:[^",{}\\]*[^",{}\\ \t\n\r\v\f])?))[ \t\n\r\v\f]*([,}])/sy;
const ESCAPED = /\\(.)/gs;

/** The items of an array of one dimension as PostgreSQL writes it, `{a,"b c",NULL}`; null for any other text. */
export function parseArrayText(text: string): (string | null)[] | null {
  if (text === '{}') return [];
  if (!text.startsWith('{')) return null;
  const items: (string | null)[] = [];
  ITEM.lastIndex = 1;
  for (;;) {
    const at = ITEM.exec(text);
    if (at === null) return null;
    const [, quoted, bare = '', end] = at;
    items.push(quoted?.replace(ESCAPED, '$1') ?? (bare.toUpperCase() === 'NULL' ? null : bare));
    if (end === '}') return ITEM.lastIndex === text.length ? items : null;
  }
}
