import { columnShape, type Encoding } from '../../../projections/sources/columns.ts';
import type { Source } from '../../../projections/sources/contract.ts';
import { parseArrayText } from './array-text.ts';
import { parseJson } from './parse-json.ts';
import type { WireRow } from './row-columns.ts';

/** The text of a cell; null where nothing stood between the commas, and empty where quotes did. */
export type Cell = string | null;

/** Brings a cell's text into a form that its column's decoder takes; what it cannot read stays as it is, to be refused there. */
type ReadCell = (text: string) => unknown;

/**
 * Compiles the reader of a CSV file's records: cells in, the row that its columns' decoders take out. Columns that
 * the contract does not know are kept as text.
 *
 * @returns null for a record that has not as many cells as the header
 * @throws where the header names a column twice or not at all
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

/** Days and instants may be counted, which the decoders tell by a number; all other text they read themselves. */
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

/** A list as JSON text, or as PostgreSQL writes an array. */
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
