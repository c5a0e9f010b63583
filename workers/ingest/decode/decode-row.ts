import type { SubjectRef } from '../../../projections/engine/rows.ts';
import { type Column, decodeColumn, type WireRow } from './column-decoder.ts';
import { jsonText } from './json.ts';
import type { MirrorKeys } from './mirror-keys.ts';
import { isPlaceholder, type Rejection, UNAVAILABLE, type Violation } from './reason.ts';

export interface DecodedRow {
  readonly violations: null;
  readonly key: string;
  readonly subject: string;
  /** Further subjects of the row. */
  readonly links: readonly SubjectRef[];
  readonly orderKey: string;
  /** Canonical JSON text: the contract's columns in its order, then unknown ones by name. */
  readonly row: string;
  /**
   * Unchanged columns whose values the message left out. Until the row is completed they are null in it, or absent if
   * the contract does not have them, and values derived from them are undefined.
   */
  readonly unavailable: readonly string[];
}

export interface DecodedKey {
  readonly violations: null;
  readonly key: string;
  /** Null if the key does not contain the subject. */
  readonly subject: string | null;
}

/** All fields that break the contract. */
export interface InvalidRow {
  readonly violations: readonly Violation[];
}

interface ColumnFailure {
  readonly column: Column;
  readonly rejection: Rejection;
}

/** A source's compiled columns, and the texts of the row that is being decoded. */
export interface CompiledRow {
  readonly columns: readonly Column[];
  /** Canonical texts by column; one row is decoded at a time. */
  readonly texts: string[];
  readonly mirrorKeys: MirrorKeys;
  /** Names of the key columns. */
  readonly key: readonly string[];
}

export function decodeRow(row: WireRow, compiled: CompiledRow): DecodedRow | InvalidRow {
  const { columns, texts, mirrorKeys, key } = compiled;
  let text = '';
  let present = 0;
  let failures: ColumnFailure[] | null = null;
  for (let index = 0; index < columns.length; index++) {
    const column = columns[index] as Column;
    const value = row[column.name];
    if (value !== undefined) present++;
    let decoded = decodeColumn(column, value);
    if (typeof decoded !== 'string') {
      if (failures === null) failures = [];
      failures.push({ column, rejection: decoded });
      decoded = 'null';
    }
    texts[index] = decoded;
    text += column.head + decoded;
  }
  const extras = Object.keys(row).length === present ? NO_EXTRAS : readExtras(row, columns);
  let unavailable = extras.unavailable;
  if (failures !== null || extras.violations.length > 0) {
    const [unchanged, broken] = sortFailures(failures ?? [], key);
    if (broken.length + extras.violations.length > 0)
      return { violations: [...broken, ...extras.violations] };
    unavailable = [...unchanged, ...unavailable];
  }
  return {
    violations: null,
    key: mirrorKeys.key(texts, row),
    subject: mirrorKeys.subject(texts, row),
    links: mirrorKeys.links(texts, row),
    orderKey: mirrorKeys.orderKey(texts, row),
    row: `${text}${extras.text}}`,
    unavailable,
  };
}

/** Decodes the columns at the given indexes into `texts`. */
export function decodeSome(
  row: WireRow,
  indexes: Iterable<number>,
  { columns, texts }: CompiledRow,
): ColumnFailure[] {
  const failures: ColumnFailure[] = [];
  for (const index of indexes) {
    const column = columns[index] as Column;
    const decoded = decodeColumn(column, row[column.name]);
    if (typeof decoded !== 'string') failures.push({ column, rejection: decoded });
    texts[index] = typeof decoded === 'string' ? decoded : 'null';
  }
  return failures;
}

export const violationOf = ({ column, rejection }: ColumnFailure): Violation => ({
  field: column.name,
  reason: rejection.reason,
});

/** Unchanged columns, and violations. A key cannot come from the stored row, because it finds that row. */
function sortFailures(failures: readonly ColumnFailure[], key: readonly string[]): [string[], Violation[]] {
  const unchanged: string[] = [];
  const broken: Violation[] = [];
  for (const failure of failures) {
    if (failure.rejection === UNAVAILABLE && !key.includes(failure.column.name))
      unchanged.push(failure.column.name);
    else broken.push(violationOf(failure));
  }
  return [unchanged, broken];
}

/** Columns outside the contract. They are stored unchanged and read by nothing. */
interface ExtraColumns {
  /** Members to append to a row's text, by name. */
  readonly text: string;
  readonly unavailable: readonly string[];
  readonly violations: readonly Violation[];
}

const NO_EXTRAS: ExtraColumns = { text: '', unavailable: [], violations: [] };

function readExtras(row: WireRow, columns: readonly Column[]): ExtraColumns {
  const known = new Set(columns.map(({ name }) => name));
  const unavailable: string[] = [];
  const violations: Violation[] = [];
  let text = '';
  for (const name of Object.keys(row).sort()) {
    if (known.has(name)) continue;
    const value = row[name];
    if (isUnchanged(value)) {
      unavailable.push(name);
      continue;
    }
    const json = jsonText(value);
    if (json === null) violations.push({ field: name, reason: 'not_json' });
    else text += `,${JSON.stringify(name)}:${json}`;
  }
  return { text, unavailable, violations };
}

const isUnchanged = (value: unknown): boolean =>
  isPlaceholder(value) || (Array.isArray(value) && value.length === 1 && isPlaceholder(value[0]));
