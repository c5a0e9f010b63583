import { isUtf8 } from 'node:buffer';
import { sourceByTable } from '../../projections/contracts/index.ts';
import { type DeadLetterViolation, UNAVAILABLE } from '../../workers/ingest/dead-letters/dead-letter.ts';
import type { DeadLetterDetails } from '../../workers/ingest/dead-letters/list-dead-letters.ts';
import type { Violation } from '../../workers/ingest/decode/reason.ts';
import type { Print } from './command.ts';
import { shownKey } from './dead-letter-options.ts';
import { fixOf } from './fixes.ts';
import { readableBytes, readableText } from './print-table.ts';

/** Prints a dead letter, one line a field, and its payload last. */
export function showDeadLetter(print: Print, deadLetter: DeadLetterDetails): void {
  const { violations, payload, recordKey, headers, key, ...fields } = deadLetter;
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
    print(
      `violation\t${readableText(violation.field)}\t${violation.reason}\t${adviceOn(deadLetter, violation)}`,
    );
  print(`payload\t${payload === null ? '' : readableBytes(payload)}`);
}

/** A dead letter for JSON. Bytes that are not UTF-8 are also given in base64. */
export function deadLetterJson({ payload, recordKey, ...rest }: DeadLetterDetails): object {
  return { ...rest, ...bytesJson('recordKey', recordKey), ...bytesJson('payload', payload) };
}

const bytesJson = (name: string, bytes: Buffer | null): object => ({
  [name]: bytes === null ? null : isUtf8(bytes) ? bytes.toString() : readableBytes(bytes),
  ...(bytes === null || isUtf8(bytes) ? {} : { [`${name}Base64`]: bytes.toString('base64') }),
});

function adviceOn({ table }: DeadLetterDetails, { field, reason }: DeadLetterViolation): string {
  if (reason === UNAVAILABLE)
    return 'send the whole row once, or load a snapshot: the value is missing and none is stored';
  return fixOf(sourceByTable.get(table ?? '') ?? null, { field, reason: reason as Violation['reason'] });
}
