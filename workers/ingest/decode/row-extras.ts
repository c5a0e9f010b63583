import { jsonText } from './json-text.ts';
import type { Violation } from './reason.ts';
import type { Column, WireRow } from './row-columns.ts';
import { isPlaceholder } from './unavailable.ts';

/** Columns that the contract does not know. They are kept as given and read by nothing. */
export interface Extras {
  /** Members to append to a row's text, by name. */
  readonly text: string;
  readonly unavailable: readonly string[];
  readonly violations: readonly Violation[];
}

export const NO_EXTRAS: Extras = { text: '', unavailable: [], violations: [] };

export function readExtras(row: WireRow, columns: readonly Column[]): Extras {
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
