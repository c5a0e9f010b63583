import type { SubjectRef } from '../../../projections/rows.ts';
import type { Source } from '../../../projections/sources/contract.ts';
import type { Delete, Tombstone, Upsert } from '../decode/envelope.ts';
import { completeRow } from '../decode/row-decoder.ts';
import { isOfLaterEpoch, isUnplacedRemoval, supersededBy } from '../decode/version.ts';

export type Change = Upsert | Delete | Tombstone;

/** A mirror row as stored, or as it will be after the changes folded so far. */
export interface MirrorState {
  /** Null where a deletion did not say what the key had been about. */
  readonly subject: string | null;
  readonly links: readonly SubjectRef[];
  readonly orderKey: string;
  /** Null for a deleted key. */
  readonly row: string | null;
  readonly version: string;
  readonly sourceTimeMs: number;
  /** When the content last changed. */
  readonly changedTimeMs: number;
}

export interface Refusal {
  readonly change: Upsert;
  readonly missing: readonly string[];
}

/** The changes of one key in the order they arrived. */
export interface KeyChanges {
  readonly source: Source;
  readonly key: string;
  readonly changes: Change[];
}

/** Changes by source and key. Changes that a truncate has overtaken are left out. */
export function groupByKey(
  changes: readonly Change[],
  floorOf: (source: Source) => string | null,
): KeyChanges[] {
  const groups = new Map<string, KeyChanges>();
  for (const change of changes) {
    if (change.kind !== 'tombstone') {
      const floor = floorOf(change.source);
      if (floor !== null && change.version <= floor) continue;
    }
    const id = `${change.source.table} ${change.key}`;
    const group = groups.get(id);
    if (group === undefined)
      groups.set(id, {
        source: change.source,
        key: change.key,
        changes: [change],
      });
    else group.changes.push(change);
  }
  return [...groups.values()];
}

/**
 * Whether the outcome depends on the stored row: to keep columns the message left out, to know what the key was
 * about before, or to tell when its content last changed.
 */
export function needsStored({ source, changes }: KeyChanges): boolean {
  if (source.feeds.length > 0 || !source.key.includes(source.subject.column)) return true;
  const [only] = changes;
  if (changes.length === 1 && only !== undefined) {
    return (
      only.kind === 'tombstone' ||
      (only.kind === 'upsert' && (only.unavailable.length > 0 || only.recordTimeMs !== undefined))
    );
  }
  return true;
}

/**
 * The state of a key after its changes. What is not newer than the state so far changes nothing; a row equal to
 * the one before it takes over its version but not its time of change.
 */
export function fold(
  stored: MirrorState | null,
  { changes }: KeyChanges,
): {
  readonly state: MirrorState | null;
  readonly refused: readonly Refusal[];
} {
  let state = stored;
  const refused: Refusal[] = [];
  for (const [index, change] of changes.entries()) {
    if (change.kind === 'tombstone') {
      // Sent again with its delete, it is younger than a row that was made after them.
      if (changes[index - 1]?.kind !== 'delete') state = foldTombstone(state, change);
      continue;
    }
    if (state !== null && change.version <= state.version) continue;
    if (change.kind === 'delete') {
      state = deletedState(state, change.version, change.sourceTimeMs, change.subject);
      continue;
    }
    if (state !== null && isBuried(change, state)) continue;
    const completed = completeRow(change, state?.row ?? null);
    if (completed.missing !== undefined) {
      refused.push({ change, missing: completed.missing });
      continue;
    }
    const isEqual = state?.row === completed.row;
    state = {
      subject: completed.subject,
      links: completed.links,
      orderKey: completed.orderKey,
      row: completed.row,
      version: change.version,
      sourceTimeMs: change.sourceTimeMs,
      changedTimeMs: isEqual && state !== null ? state.changedTimeMs : change.sourceTimeMs,
    };
  }
  return { state, refused };
}

/** Whether a tombstone has come since a change began to wait; its version does not tell, being of no place in the log. */
const isBuried = ({ recordTimeMs }: Upsert, { row, version, sourceTimeMs }: MirrorState): boolean =>
  recordTimeMs !== undefined && row === null && isUnplacedRemoval(version) && recordTimeMs < sourceTimeMs;

/**
 * A tombstone follows its delete and then says nothing new. Alone, as compaction leaves it, it stands for the
 * delete, unless the stored row was made after it. It is kept where nothing is stored too: a snapshot from before
 * must not bring the row back.
 */
function foldTombstone(state: MirrorState | null, { timestamp, version }: Tombstone): MirrorState | null {
  if (timestamp === null) return state;
  if (state === null || state.row === null) {
    return state === null || state.version < version ? deletedState(state, version, timestamp, null) : state;
  }
  if (timestamp < state.sourceTimeMs && !isOfLaterEpoch(version, state.version)) return state;
  const after = supersededBy(state.version);
  return deletedState(state, after > version ? after : version, timestamp, state.subject);
}

function deletedState(
  state: MirrorState | null,
  version: string,
  timeMs: number,
  subject: string | null,
): MirrorState {
  return {
    subject: subject ?? state?.subject ?? null,
    links: [],
    orderKey: '',
    row: null,
    version,
    sourceTimeMs: timeMs,
    changedTimeMs: state !== null && state.row === null ? state.changedTimeMs : timeMs,
  };
}
