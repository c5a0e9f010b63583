import type { DecodedRecord } from '../ingest-batch.ts';

/** A delete that was applied last. */
export interface LastDelete {
  readonly table: string;
  readonly key: string;
}

/** The delete that records end with, whose tombstone is still to come; null where they end otherwise. */
export function lastDeleteOf(records: readonly DecodedRecord[]): LastDelete | null {
  const decoded = records.at(-1)?.decoded;
  return decoded?.kind === 'delete' ? { table: decoded.source.table, key: decoded.key } : null;
}

/**
 * Records that begin with the tombstone of a delete that is applied already say nothing by it. Sent again together with
 * that delete, it is younger than a row that was made after them, and would remove it.
 */
export function passKnownTombstone(
  records: readonly DecodedRecord[],
  before: LastDelete | null,
): readonly DecodedRecord[] {
  const [first, ...rest] = before === null ? [] : records;
  if (before === null || first?.decoded.kind !== 'tombstone') return records;
  const { decoded, record } = first;
  if (decoded.source.table !== before.table || decoded.key !== before.key) return records;
  return [{ record, decoded: { ...decoded, timestamp: null } }, ...rest];
}
