import type { Source } from '../../../projections/sources/contract.ts';
import type { DecodedRow } from './decode-row.ts';
import type { Reason, Violation } from './reason.ts';

interface Versioned {
  readonly source: Source;
  /** Compares bytewise; see version.ts. */
  readonly version: string;
  /** When the producer made the change, in milliseconds since 1970. */
  readonly sourceTimeMs: number;
}

export interface Upsert extends Versioned, Omit<DecodedRow, 'violations'> {
  readonly kind: 'upsert';
  /** When its record was made, of a change that has waited in the dead letters: tombstones may have come after it. */
  readonly recordTimeMs?: number;
}

export interface Delete extends Versioned {
  readonly kind: 'delete';
  readonly key: string;
  /** Null where the key does not say what the row was about. */
  readonly subject: string | null;
}

export interface Truncate extends Versioned {
  readonly kind: 'truncate';
}

/** A message without a value: it follows a delete, or is all that compaction left of one. */
export interface Tombstone {
  readonly kind: 'tombstone';
  readonly source: Source;
  readonly key: string;
  /** The record's own time in milliseconds since 1970. */
  readonly timestamp: number | null;
  /** Newer than any row of a snapshot taken by then, older than any streamed change. */
  readonly version: string;
}

interface Heartbeat {
  readonly kind: 'heartbeat';
  readonly prefix: string;
  /** The sources whose connector it says to be alive. */
  readonly sources: readonly Source[];
  readonly timeMs: number;
}

export interface Ignored {
  readonly kind: 'ignored';
  readonly why: string;
}

/** A record at fault, for the dead letters. */
export interface Refused {
  readonly kind: 'refused';
  /** Null where the topic names no source. */
  readonly source: Source | null;
  /** The table that the topic names; null where the topic is none of ours. */
  readonly table: string | null;
  /** The row's key and the change's version, where they could be told. */
  readonly key: string | null;
  readonly version: string | null;
  readonly violations: readonly Violation[];
}

export type Decoded = Upsert | Delete | Truncate | Tombstone | Heartbeat | Ignored | Refused;

export const refused = (
  source: Source,
  key: string | null,
  violations: readonly Violation[],
  version: string | null = null,
): Refused => ({
  kind: 'refused',
  source,
  table: source.table,
  key,
  version,
  violations,
});

export const refusedFor = (
  source: Source,
  key: string | null,
  field: string,
  reason: Reason,
  version: string | null = null,
): Refused => refused(source, key, [{ field, reason }], version);

/** @param table the table that the topic names; empty where it names none of ours */
export const unknownTable = (table: string): Refused => ({
  kind: 'refused',
  source: null,
  table: table === '' ? null : table,
  key: null,
  version: null,
  violations: [{ field: 'topic', reason: 'unknown_table' }],
});
