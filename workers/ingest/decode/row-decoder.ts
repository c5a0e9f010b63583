import type { SubjectRef } from '../../../projections/rows.ts';
import type { Source } from '../../../projections/sources/contract.ts';
import {
  type DecodedKey,
  type DecodedRow,
  decodeRow,
  decodeSome,
  type Faulty,
  violationOf,
} from './decode-row.ts';
import type { FieldTypes } from './field-types.ts';
import { parseJson, parseJsonAsWritten } from './parse-json.ts';
import { compileAddress } from './row-address.ts';
import { compileColumns, type WireRow } from './row-columns.ts';

export interface RowDecoder {
  readonly source: Source;
  /** Parses the text of messages and rows as the columns need it. @throws SyntaxError */
  readonly parse: (text: string) => unknown;
  decodeRow(row: WireRow): DecodedRow | Faulty;
  /** Decodes the key columns alone, out of a message key or a row. */
  decodeKey(row: WireRow): DecodedKey | Faulty;
  /** The links of a row in canonical form. */
  linksOf(row: WireRow): readonly SubjectRef[];
}

const NONE: readonly never[] = [];

/**
 * Compiles the decoder of a source's rows. It is meant to be kept: it decodes without looking at the contract or
 * at a message's schema again.
 *
 * @param types what the messages' own schema says of the columns; null without one
 */
export function compileDecoder(source: Source, types: FieldTypes | null = null): RowDecoder {
  const columns = compileColumns(source, types);
  const address = compileAddress(source, columns);
  const keyColumns = source.key.map((name) => columns.findIndex((column) => column.name === name));
  const isSubjectInKey = source.key.includes(source.subject.column);
  /** Canonical texts of the row at hand; one row is decoded at a time. */
  const texts: string[] = new Array(columns.length).fill('null');
  return {
    source,
    parse: columns.some(({ isJson }) => isJson) ? parseJsonAsWritten : parseJson,
    decodeRow: (row) => decodeRow(row, columns, texts, address, source.key),
    decodeKey(row) {
      const faults = decodeSome(row, keyColumns, columns, texts);
      if (faults.length > 0) return { violations: faults.map(violationOf) };
      const subject = isSubjectInKey ? address.subject(texts, row) : null;
      return { violations: null, key: address.key(texts, row), subject };
    },
    linksOf(row) {
      decodeSome(row, columns.keys(), columns, texts);
      return address.links(texts, row);
    },
  };
}

const plainDecoders = new WeakMap<Source, RowDecoder>();

/** The decoder of rows that come without a schema of their own. */
export function decoderOf(source: Source): RowDecoder {
  let decoder = plainDecoders.get(source);
  if (decoder === undefined) {
    decoder = compileDecoder(source);
    plainDecoders.set(source, decoder);
  }
  return decoder;
}

/** What a row is once nothing is left out of it. */
export interface CompletedRow extends Pick<DecodedRow, 'row' | 'subject' | 'links' | 'orderKey'> {
  readonly missing?: undefined;
}

/** Columns that neither the message nor the stored row has. */
export interface IncompleteRow {
  readonly missing: readonly string[];
}

/**
 * Takes the columns that a change left out from the stored row.
 *
 * @param stored canonical text of the row before the change; null where there is none
 */
export function completeRow(
  change: Omit<DecodedRow, 'violations'> & { readonly source: Source },
  stored: string | null,
): CompletedRow | IncompleteRow {
  if (change.unavailable.length === 0) return change;
  if (stored === null) return { missing: change.unavailable };
  const { parse, decodeRow } = decoderOf(change.source);
  const row = parse(change.row) as Record<string, unknown>;
  const before = parse(stored) as WireRow;
  for (const name of change.unavailable) {
    if (Object.hasOwn(before, name)) row[name] = before[name];
    // Null here only because it was left out: the decoder is to see that a required column is not there.
    else delete row[name];
  }
  // What is canonical decodes to itself.
  const decoded = decodeRow(row);
  return decoded.violations === null ? decoded : { missing: decoded.violations.map(({ field }) => field) };
}

/** The links of a stored row. */
export function linksOf(source: Source, row: string): readonly SubjectRef[] {
  if (source.feeds.length === 0) return NONE;
  const decoder = decoderOf(source);
  return decoder.linksOf(decoder.parse(row) as WireRow);
}
