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
  /** The row's key, where it could be told. */
  readonly key: string | null;
  readonly violations: readonly Violation[];
}

export type Decoded = Upsert | Delete | Truncate | Tombstone | Heartbeat | Ignored | Refused;

export const refused = (
  source: Source | null,
  key: string | null,
  violations: readonly Violation[],
): Refused => ({
  kind: 'refused',
  source,
  key,
  violations,
});

export const refusedFor = (
  source: Source | null,
  key: string | null,
  field: string,
  reason: Reason,
): Refused => refused(source, key, [{ field, reason }]);
