import type { Source } from '../../../projections/contracts/contract.ts';
import type { SubjectRef } from '../../../projections/engine/rows.ts';
import { compileColumns, type WireRow } from './column-decoder.ts';
import {
  type DecodedKey,
  type DecodedRow,
  decodeRow,
  decodeSome,
  type InvalidRow,
  violationOf,
} from './decode-row.ts';
import type { FieldTypes } from './field-types.ts';
import { parseJson, parseJsonAsWritten } from './json.ts';
import { compileMirrorKeys } from './mirror-keys.ts';
import { declaredShape, type RowShape, shapeReader } from './row-shape.ts';

export interface RowDecoder {
  readonly source: Source;
  /** Parses messages and rows without loss for these columns. @throws SyntaxError */
  readonly parse: (text: string) => unknown;
  decodeRow(row: WireRow): DecodedRow | InvalidRow;
  /** Decodes the key columns alone, out of a message key or a row. */
  decodeKey(row: WireRow): DecodedKey | InvalidRow;
  /** The links of a row in canonical form. */
  linksOf(row: WireRow): readonly SubjectRef[];
  /** The shape that the messages' own schema declares; null without one. */
  readonly declared: RowShape | null;
  /** The shape of a row; the declared one if there is one. */
  shapeOf(row: WireRow): RowShape;
}

const NONE: readonly never[] = [];

/**
 * Compiles the decoder of a source's rows. Keep it: it decodes without reading the contract or the schema again.
 *
 * @param types from the messages' own schema; null without one
 */
export function compileDecoder(source: Source, types: FieldTypes | null = null): RowDecoder {
  const columns = compileColumns(source, types);
  const mirrorKeys = compileMirrorKeys(source, columns);
  const keyColumns = source.key.map((name) => columns.findIndex((column) => column.name === name));
  const isSubjectInKey = source.key.includes(source.subject.column);
  const texts: string[] = new Array(columns.length).fill('null');
  const compiled = { columns, texts, mirrorKeys, key: source.key };
  const declared = types === null ? null : declaredShape(source, columns, types);
  return {
    source,
    declared,
    shapeOf: declared === null ? shapeReader(source, columns) : () => declared,
    parse: columns.some(({ isJson }) => isJson) ? parseJsonAsWritten : parseJson,
    decodeRow: (row) => decodeRow(row, compiled),
    decodeKey(row) {
      const failures = decodeSome(row, keyColumns, compiled);
      if (failures.length > 0) return { violations: failures.map(violationOf) };
      const subject = isSubjectInKey ? mirrorKeys.subject(texts, row) : null;
      return { violations: null, key: mirrorKeys.key(texts, row), subject };
    },
    linksOf(row) {
      decodeSome(row, columns.keys(), compiled);
      return mirrorKeys.links(texts, row);
    },
  };
}

const plainDecoders = new WeakMap<Source, RowDecoder>();

/** The decoder of rows without their own schema. */
export function decoderOf(source: Source): RowDecoder {
  let decoder = plainDecoders.get(source);
  if (decoder === undefined) {
    decoder = compileDecoder(source);
    plainDecoders.set(source, decoder);
  }
  return decoder;
}

/** A row with all its columns. */
export interface CompletedRow extends Pick<DecodedRow, 'row' | 'subject' | 'links' | 'orderKey'> {
  readonly missing?: undefined;
}

/** A row with columns that neither the message nor the stored row has. */
export interface IncompleteRow {
  readonly missing: readonly string[];
}

/**
 * Completes a change with the columns of the stored row.
 *
 * @param stored canonical text of the row before the change; null if there is none
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
    // It is null only because it was left out; without it the decoder reports a missing required column.
    else delete row[name];
  }
  // Canonical values decode to themselves.
  const decoded = decodeRow(row);
  return decoded.violations === null ? decoded : { missing: decoded.violations.map(({ field }) => field) };
}

/** The links of a stored row. */
export function linksOf(source: Source, row: string): readonly SubjectRef[] {
  if (source.alsoAbout.length === 0) return NONE;
  const decoder = decoderOf(source);
  return decoder.linksOf(decoder.parse(row) as WireRow);
}
