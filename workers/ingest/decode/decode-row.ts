import type { SubjectRef } from '../../../projections/rows.ts';
import type { Refusal, Violation } from './reason.ts';
import type { RowAddress } from './row-address.ts';
import { type Column, decodeColumn, type WireRow } from './row-columns.ts';
import { NO_EXTRAS, readExtras } from './row-extras.ts';
import { UNAVAILABLE } from './unavailable.ts';

export interface DecodedRow {
  readonly violations: null;
  readonly key: string;
  readonly subject: string;
  /** Further subjects whose read models the row feeds. */
  readonly links: readonly SubjectRef[];
  readonly orderKey: string;
  /** Canonical JSON text: the contract's columns in its order, then unknown ones by name. */
  readonly row: string;
  /**
   * Columns that did not change and whose value the message left out. Until the row is completed they are null in
   * it, or absent where the contract does not know them, and what is made of them is not to be relied on.
   */
  readonly unavailable: readonly string[];
}

export interface DecodedKey {
  readonly violations: null;
  readonly key: string;
  /** Null where the key does not say what the row is about. */
  readonly subject: string | null;
}

/** Every field that breaks the contract. */
export interface Faulty {
  readonly violations: readonly Violation[];
}

interface Fault {
  readonly column: Column;
  readonly refusal: Refusal;
}

/** @param texts where the canonical texts of the columns are left */
export function decodeRow(
  row: WireRow,
  columns: readonly Column[],
  texts: string[],
  address: RowAddress,
  key: readonly string[],
): DecodedRow | Faulty {
  let text = '';
  let present = 0;
  let faults: Fault[] | null = null;
  for (let index = 0; index < columns.length; index++) {
    const column = columns[index] as Column;
    const value = row[column.name];
    if (value !== undefined) present++;
    let decoded = decodeColumn(column, value);
    if (typeof decoded !== 'string') {
      if (faults === null) faults = [];
      faults.push({ column, refusal: decoded });
      decoded = 'null';
    }
    texts[index] = decoded;
    text += column.head + decoded;
  }
  const extras = Object.keys(row).length === present ? NO_EXTRAS : readExtras(row, columns);
  let unavailable = extras.unavailable;
  if (faults !== null || extras.violations.length > 0) {
    const [unchanged, broken] = sortFaults(faults ?? [], key);
    if (broken.length + extras.violations.length > 0)
      return { violations: [...broken, ...extras.violations] };
    unavailable = [...unchanged, ...unavailable];
  }
  return {
    violations: null,
    key: address.key(texts, row),
    subject: address.subject(texts, row),
    links: address.links(texts, row),
    orderKey: address.orderKey(texts, row),
    row: `${text}${extras.text}}`,
    unavailable,
  };
}

/** Decodes the columns at the given indexes into `texts`. */
export function decodeSome(
  row: WireRow,
  indexes: Iterable<number>,
  columns: readonly Column[],
  texts: string[],
): Fault[] {
  const faults: Fault[] = [];
  for (const index of indexes) {
    const column = columns[index] as Column;
    const decoded = decodeColumn(column, row[column.name]);
    if (typeof decoded !== 'string') faults.push({ column, refusal: decoded });
    texts[index] = typeof decoded === 'string' ? decoded : 'null';
  }
  return faults;
}

export const violationOf = ({ column, refusal }: Fault): Violation => ({
  field: column.name,
  reason: refusal.reason,
});

/** Columns that did not change, and violations. A key is never taken from the stored row: it is what finds it. */
function sortFaults(faults: readonly Fault[], key: readonly string[]): [string[], Violation[]] {
  const unchanged: string[] = [];
  const broken: Violation[] = [];
  for (const fault of faults) {
    if (fault.refusal === UNAVAILABLE && !key.includes(fault.column.name)) unchanged.push(fault.column.name);
    else broken.push(violationOf(fault));
  }
  return [unchanged, broken];
}
