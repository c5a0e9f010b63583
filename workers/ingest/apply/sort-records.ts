import type { DecodedRecord, Heartbeat, Truncate } from '../decode/envelope.ts';
import type { RowChange } from './fold.ts';

interface SortedRecords {
  readonly changes: RowChange[];
  readonly truncates: Truncate[];
  readonly heartbeats: Heartbeat[];
}

/** What records say, by its kind. Rejected and ignored ones say nothing. */
export function sortRecords(records: readonly DecodedRecord[]): SortedRecords {
  const sorted: SortedRecords = { changes: [], truncates: [], heartbeats: [] };
  for (const { decoded } of records) {
    switch (decoded.kind) {
      case 'upsert':
      case 'delete':
      case 'tombstone':
        sorted.changes.push(decoded);
        break;
      case 'truncate':
        sorted.truncates.push(decoded);
        break;
      case 'heartbeat':
        sorted.heartbeats.push(decoded);
        break;
    }
  }
  return sorted;
}
