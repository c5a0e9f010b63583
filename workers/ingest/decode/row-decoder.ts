import type { SubjectRef } from '../../../projections/rows.ts';
import type { Source } from '../../../projections/sources/contract.ts';
import { type DecodedKey, type DecodedRow, decodeRow, decodeSome, type Faulty, violationOf } from './decode-row.ts';
import type { FieldTypes } from './field-types.ts';
import { parseJson } from './parse-json.ts';
import { compileAddress } from './row-address.ts';
import { compileColumns, type WireRow } from './row-columns.ts';

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
    decodeRow: (row) => decodeRow(row, columns, texts, address, source.key),
    decodeKey(row) {
      const faults = decodeSome(row, keyColumns, columns, texts);
      if (faults.length > 0) return { violations: faults.map(violationOf) };
      const subject = isSubjectInKey ? address.subject(texts, row) : null;
      return { violations: null, key: address.key(texts, row), subject };
    },
    linksOf(row) {
      if (source.feeds.length === 0) return NONE;
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
  const { source } = change;
  const row = parseJson(change.row) as Record<string, unknown>;
  const before = parseJson(stored) as WireRow;
  for (const name of change.unavailable) {
    if (Object.hasOwn(before, name)) row[name] = before[name];
    // Null here only because it was left out: the decoder is to see that a required column is not there.
    else delete row[name];
  }
  // What is canonical decodes to itself.
  const decoded = decoderOf(source).decodeRow(row);
  return decoded.violations === null ? decoded : { missing: decoded.violations.map(({ field }) => field) };
}

/** The links of a stored row. */
export const linksOf = (source: Source, row: string): readonly SubjectRef[] =>
  source.feeds.length === 0 ? [] : decoderOf(source).linksOf(parseJson(row) as WireRow);
