import type { Source } from '../../../projections/contracts/contract.ts';
import type { SubjectRef } from '../../../projections/engine/rows.ts';
import { compareVersions, isWrittenLater, newerOf, readOrder } from '../decode/compare-versions.ts';
import type { Delete, Tombstone, Upsert } from '../decode/envelope.ts';
import { completeRow } from '../decode/row-decoder.ts';
import { isOfLaterEpoch, isUnpositionedRemoval, positionOf, supersededBy } from '../decode/version.ts';
import { type MovedRow, movedId, oldKeyOf } from './moved-rows.ts';
import type { Outcome } from './record-counts.ts';

export type RowChange = Upsert | Delete | Tombstone;

/** A mirror row as stored, or as it will be after the changes folded so far. */
export interface MirrorState {
  /** Null if a deletion did not name the subject of the row. */
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

/** A change that left out columns which no stored row has. */
export interface IncompleteChange {
  readonly change: Upsert;
  readonly missing: readonly string[];
}

/** The changes of one key in the order of their arrival. */
export interface KeyChanges {
  readonly source: Source;
  readonly key: string;
  readonly changes: RowChange[];
}

/** Changes by source and key, without those that are older than a truncate, and tombstones that follow such deletes. */
export function groupByKey(
  changes: readonly RowChange[],
  floorOf: (source: Source) => string | null,
  onOlder: (change: RowChange) => void = () => {},
): KeyChanges[] {
  const groups = new Map<string, KeyChanges>();
  let before: RowChange | null = null;
  for (const change of changes) {
    const floor = floorOf(change.source);
    const isOlder: boolean =
      change.kind === 'tombstone'
        ? isDeleteOf(change, before)
        : floor !== null && compareVersions(change.version, floor) <= 0;
    before = isOlder ? change : null;
    if (isOlder) {
      onOlder(change);
      continue;
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

const isDeleteOf = ({ source, key }: Tombstone, before: RowChange | null): boolean =>
  before?.kind === 'delete' && before.source === source && before.key === key;

/**
 * Whether the result depends on the stored row: to complete columns that the message left out, to find the previous
 * subjects, or to find when the content last changed.
 */
export function needsStored({ source, changes }: KeyChanges): boolean {
  if (source.alsoAbout.length > 0 || !source.key.includes(source.subject.column)) return true;
  const [only] = changes;
  if (changes.length === 1 && only !== undefined) {
    return (
      only.kind === 'tombstone' ||
      (only.kind === 'delete' && only.newKey !== undefined) ||
      (only.kind === 'upsert' && (only.unavailable.length > 0 || only.recordTimeMs !== undefined))
    );
  }
  return true;
}

export interface FoldResult {
  readonly state: MirrorState | null;
  /** How each change ended, in their order. */
  readonly outcomes: readonly Outcome[];
  readonly incomplete: readonly IncompleteChange[];
  /** The rows that go on under another key. */
  readonly moved: readonly MovedRow[];
}

/**
 * The state of a key after its changes. A change that is not newer than the state has no effect.
 *
 * @param moved rows whose key has changed
 */
export function fold(
  stored: MirrorState | null,
  { changes }: KeyChanges,
  moved: ReadonlyMap<string, MovedRow> = NONE_MOVED,
): FoldResult {
  let state = stored;
  const outcomes: Outcome[] = [];
  const incomplete: IncompleteChange[] = [];
  const leaving: MovedRow[] = [];
  for (const [index, change] of changes.entries()) {
    const before = state;
    if (change.kind === 'tombstone') {
      // A tombstone that is repeated with its delete may be younger than a row that was written after them.
      const isRepeated = changes[index - 1]?.kind === 'delete';
      if (!isRepeated) state = foldTombstone(state, change);
      const isIgnored = isRepeated || change.timestamp === null || before?.row === null;
      outcomes.push(state !== before ? 'applied' : isIgnored ? 'ignored' : 'older');
      continue;
    }
    const order = state === null ? 1 : compareVersions(change.version, state.version);
    if (order <= 0) {
      // What was written before the repetition cannot change the row any more.
      if (order === 0 && state !== null && isWrittenLater(change.version, state.version))
        state = { ...state, version: change.version };
      outcomes.push(order === 0 ? 'equal' : 'older');
      continue;
    }
    const { version, sourceTimeMs } = change;
    if (change.kind === 'delete') {
      if (change.newKey !== undefined && state?.row != null)
        leaving.push({
          source: change.source,
          key: change.key,
          position: positionOf(version),
          row: state.row,
        });
      state = deletedState(state, { version, timeMs: sourceTimeMs, subject: change.subject });
    } else if (state === null || !isRemovedSince(change, state)) {
      const folded = foldUpsert(state, change, moved);
      if ('missing' in folded) {
        incomplete.push(folded);
        outcomes.push('deadLetters');
        continue;
      }
      state = folded;
    }
    outcomes.push(state === before ? 'older' : 'applied');
  }
  return { state, outcomes, incomplete, moved: leaving };
}

const NONE_MOVED: ReadonlyMap<string, MovedRow> = new Map();

/** An equal row replaces the version of the stored one, but not its time of change. */
function foldUpsert(
  state: MirrorState | null,
  change: Upsert,
  moved: ReadonlyMap<string, MovedRow>,
): MirrorState | IncompleteChange {
  const { version, sourceTimeMs } = change;
  const oldKey = oldKeyOf(change);
  const before = oldKey === null ? state : moved.get(movedId(oldKey));
  const completed = completeRow(change, before?.row ?? null);
  if (completed.missing !== undefined) return { change, missing: completed.missing };
  const { subject, links, orderKey, row } = completed;
  const changedTimeMs = state?.row === row ? state.changedTimeMs : sourceTimeMs;
  return { subject, links, orderKey, row, version, sourceTimeMs, changedTimeMs };
}

/** Whether a tombstone has come since the change became a dead letter; a tombstone's version has no log position. */
const isRemovedSince = ({ recordTimeMs }: Upsert, { row, version, sourceTimeMs }: MirrorState): boolean =>
  recordTimeMs !== undefined && row === null && isUnpositionedRemoval(version) && recordTimeMs < sourceTimeMs;

/**
 * A tombstone after its delete has no effect. Alone, as compaction leaves it, it is the delete, unless the stored row was
 * written after it. It is stored even without a row, because an older snapshot must not bring the row back.
 */
function foldTombstone(state: MirrorState | null, { timestamp, version }: Tombstone): MirrorState | null {
  if (timestamp === null) return state;
  if (state === null || state.row === null) {
    return state === null || compareVersions(state.version, version) < 0
      ? deletedState(state, { version, timeMs: timestamp, subject: null })
      : state;
  }
  const isBefore = (readOrder(version, state.version) ?? timestamp - state.sourceTimeMs) < 0;
  if (isBefore && !isOfLaterEpoch(version, state.version)) return state;
  return deletedState(state, {
    version: newerOf(supersededBy(state.version, version), version),
    timeMs: timestamp,
    subject: state.subject,
  });
}

interface Removal {
  readonly version: string;
  readonly timeMs: number;
  readonly subject: string | null;
}

function deletedState(state: MirrorState | null, { version, timeMs, subject }: Removal): MirrorState {
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
