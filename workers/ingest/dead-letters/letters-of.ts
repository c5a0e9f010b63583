import type { Refusal } from '../apply/fold.ts';
import type { Place } from '../apply/position.ts';
import type { Decoded, DecodedRecord } from '../decode/envelope.ts';
import type { DeadLetter } from './keep-dead-letters.ts';
import { classOf, UNAVAILABLE } from './letter-class.ts';

/** The records that could not be decoded, as dead letters. */
export function refusedLetters(records: readonly DecodedRecord[], place: Place): DeadLetter[] {
  return records.flatMap(({ record, decoded }) => {
    if (decoded.kind !== 'refused') return [];
    const { source, table, key, version, violations } = decoded;
    return [{ place, record, source, table, key, version, class: classOf(source, violations), violations }];
  });
}

/** The changes that left out values which are stored nowhere, as dead letters. */
export function incompleteLetters(
  records: readonly DecodedRecord[],
  refusals: readonly Refusal[],
  place: Place,
): DeadLetter[] {
  if (refusals.length === 0) return [];
  const recordOf = new Map<Decoded, DecodedRecord['record']>(
    records.map(({ record, decoded }) => [decoded, record]),
  );
  return refusals.flatMap(({ change: { source, key, version }, missing, change }) => {
    const record = recordOf.get(change);
    if (record === undefined) return [];
    const violations = missing.map((field) => ({ field, reason: UNAVAILABLE }));
    return [{ place, record, source, table: source.table, key, version, class: 'incomplete', violations }];
  });
}
