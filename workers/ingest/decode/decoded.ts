import type { Source } from '../../../projections/contracts/contract.ts';
import type { DecodedRow } from './decode-row.ts';
import type { Violation } from './reason.ts';
import type { PositionForm } from './version.ts';

interface Versioned {
  readonly source: Source;
  /** Compares bytewise; see version.ts. */
  readonly version: string;
  /** When the producer made the change, in milliseconds since 1970. */
  readonly sourceTimeMs: number;
  /** What its version is made of; missing for a row of a snapshot file, whose version is the time of the snapshot. */
  readonly form?: PositionForm | undefined;
  /** The server name of the connector that wrote it; missing if the change does not say it. */
  readonly connector?: string | undefined;
  /** The envelope's `source` as received: where the producer's log has the change; missing without an envelope. */
  readonly origin?: Readonly<Record<string, unknown>> | undefined;
}

export interface Upsert extends Versioned, Omit<DecodedRow, 'violations'> {
  readonly kind: 'upsert';
  /** The key that the row had before, if the change says so. */
  readonly oldKey?: string | undefined;
  /** Only of a replayed dead letter: the time of its record, because tombstones may have come after it. */
  readonly recordTimeMs?: number;
}

export interface Delete extends Versioned {
  readonly kind: 'delete';
  readonly key: string;
  /** The key under which the row goes on; missing if it is gone. */
  readonly newKey?: string | undefined;
  /** Null if the key does not contain the subject. */
  readonly subject: string | null;
}

export interface Truncate extends Versioned {
  readonly kind: 'truncate';
}

/** A message without a value: it follows a delete, or compaction has left only it. */
export interface Tombstone {
  readonly kind: 'tombstone';
  readonly source: Source;
  readonly key: string;
  /** The record's own time in milliseconds since 1970. */
  readonly timestamp: number | null;
  /** Newer than any row of a snapshot taken by then, older than any streamed change. */
  readonly version: string;
}

export interface Heartbeat {
  readonly kind: 'heartbeat';
  /** The server name of its connector. */
  readonly connector: string;
  readonly timeMs: number;
}

export interface Ignored {
  readonly kind: 'ignored';
  readonly why: string;
  /** What a connector reports of a snapshot. */
  readonly notice?: SnapshotNotice;
}

/** A snapshot has started, or has read a table whole. */
export interface SnapshotNotice {
  /** The server name of the connector. */
  readonly connector: string;
  /** The table and its number of rows; null for a start. */
  readonly scanned: { readonly table: string; readonly rows: number } | null;
}

/** An invalid record, for the dead letters. */
export interface RejectedRecord {
  readonly kind: 'rejected';
  /** Null if the topic names no source. */
  readonly source: Source | null;
  /** The table in the topic's name; null for an unknown topic. */
  readonly table: string | null;
  /** The row's key and the change's version; null if they could not be read. */
  readonly key: string | null;
  readonly version: string | null;
  readonly violations: readonly Violation[];
}

export type Decoded = Upsert | Delete | Truncate | Tombstone | Heartbeat | Ignored | RejectedRecord;

/** @param identity key and version, if they could be read */
export const rejected = (
  source: Source,
  violations: readonly Violation[],
  { key = null, version = null }: Partial<Pick<RejectedRecord, 'key' | 'version'>> = {},
): RejectedRecord => ({ kind: 'rejected', source, table: source.table, key, version, violations });

/** @param table the table in the topic's name; empty for an unknown topic */
export const unknownTable = (table: string): RejectedRecord => ({
  kind: 'rejected',
  source: null,
  table: table === '' ? null : table,
  key: null,
  version: null,
  violations: [{ field: 'topic', reason: 'unknown_table' }],
});
