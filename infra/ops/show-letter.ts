import { isUtf8 } from 'node:buffer';
import { sourceByTable } from '../../projections/sources/index.ts';
import { type LetterViolation, UNAVAILABLE } from '../../workers/ingest/dead-letters/letter-class.ts';
import type { Letter } from '../../workers/ingest/dead-letters/list-letters.ts';
import type { Violation } from '../../workers/ingest/decode/reason.ts';
import type { Print } from './command.ts';
import { fixOf } from './fixes.ts';
import { shownKey } from './letter-selection.ts';
import { readableBytes, readableText } from './readable.ts';

/** Prints all that is known of a letter, a line a field, and its payload last, as it came. */
export function showLetter(print: Print, letter: Letter): void {
  const { violations, payload, recordKey, headers, key, ...fields } = letter;
  const shown = {
    ...fields,
    key: shownKey(key),
    recordKey: recordKey === null ? null : readableBytes(recordKey),
    headers: JSON.stringify(headers),
  };
  for (const [name, value] of Object.entries(shown)) {
    if (value !== null)
      print(`${name}\t${value instanceof Date ? value.toISOString() : readableText(String(value))}`);
  }
  for (const violation of violations)
    print(`violation\t${readableText(violation.field)}\t${violation.reason}\t${adviceOn(letter, violation)}`);
  print(`payload\t${payload === null ? '' : readableBytes(payload)}`);
}

/** A letter as JSON: bytes as text, and in base64 too where they are none. */
export function letterJson({ payload, recordKey, ...letter }: Letter): object {
  return { ...letter, ...bytesJson('recordKey', recordKey), ...bytesJson('payload', payload) };
}

const bytesJson = (name: string, bytes: Buffer | null): object => ({
  [name]: bytes === null ? null : isUtf8(bytes) ? bytes.toString() : readableBytes(bytes),
  ...(bytes === null || isUtf8(bytes) ? {} : { [`${name}Base64`]: bytes.toString('base64') }),
});

function adviceOn({ table }: Letter, { field, reason }: LetterViolation): string {
  if (reason === UNAVAILABLE)
    return 'send the row whole once, or load a snapshot: the value was left out and none is stored';
  return fixOf(sourceByTable.get(table ?? '') ?? null, { field, reason: reason as Violation['reason'] });
}
