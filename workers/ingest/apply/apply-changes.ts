import type { ClientBase } from 'pg';
import { LOCKS } from '../../../db/locks.ts';
import type { SourceRegistry } from '../../../projections/engine/projection.ts';
import { markDirty } from '../../../projections/engine/store/mark.ts';
import { type KeptVersion, keptVersions } from '../../../projections/engine/store/version.ts';
import { projections } from '../../../projections/index.ts';
import { compareVersions } from '../decode/compare-versions.ts';
import type { Decoded, Truncate, Upsert } from '../decode/envelope.ts';
import { collectMarks, type MarkCollector } from './collect-marks.ts';
import { readSourceStates, requireEpochs } from './epochs.ts';
import {
  fold,
  groupByKey,
  type IncompleteChange,
  type KeyChanges,
  type MirrorState,
  needsStored,
  type RowChange,
} from './fold.ts';
import { type KeyState, readStored, replaceLinks, replaceMirror, stateId, upsertMirror } from './mirror.ts';
import {
  keepMovedRows,
  type MovedRow,
  type MovedRows,
  movedId,
  newKeysOf,
  readMovedRows,
} from './moved-rows.ts';
import type { Outcome, Outcomes } from './record-counts.ts';
import { announceFirstDeliveries, noteChanges, type StageLags } from './source-freshness.ts';
import { applyTruncates } from './truncate.ts';

export interface ChangeSet {
  readonly changes: readonly RowChange[];
  readonly truncates: readonly Truncate[];
  /** Missing if the changes did not come through the log. */
  readonly lags?: StageLags | undefined;
}

export interface AppliedChanges {
  /** Keys whose stored state became newer. */
  readonly settled: readonly Transition[];
  /** How many of them have other content now. */
  readonly changed: number;
  /** The truncates that were newer than all before. */
  readonly truncated: readonly Truncate[];
  /** How each change and truncate ended. */
  readonly outcomes: Outcomes;
  /** Changes that left out columns which no stored row has. */
  readonly incomplete: readonly IncompleteChange[];
}

/**
 * Applies changes to the mirror and marks the affected documents dirty, in the caller's transaction. Order and
 * repetition do not matter: the newest version of each key wins.
 *
 * @throws EpochRaised if the changes were decoded with a past epoch
 */
export async function applyChanges(
  client: ClientBase,
  registry: SourceRegistry,
  { changes, truncates, lags }: ChangeSet,
): Promise<AppliedChanges> {
  const sources = new Set([...changes, ...truncates].map(({ source }) => source));
  const versions = await lockVersions(client, truncates.length > 0);
  const sourceStates = await readSourceStates(client, sources, registry);
  requireEpochs([...changes, ...truncates], sourceStates);
  await announceFirstDeliveries(client, registry, { changes, versions });
  const {
    floorOf,
    removed,
    truncated,
    outcomes: ofTruncates,
  } = await applyTruncates(client, registry, { truncates, sourceStates });
  const collector = collectMarks(versions);
  for (const { source, refs } of removed) for (const ref of refs) collector.add(source, ref);

  const outcomes = new Map<Decoded, Outcome>(ofTruncates);
  const groups = groupByKey(changes, floorOf, (change) => outcomes.set(change, 'older'));
  const [folding, blind] = partition(groups, needsStored);
  const moved = await readMovedRows(client, registry, changes);
  const stored = await readStored(client, folding, registry);
  const storedOf = ({ source, key }: KeyChanges) => stored.get(stateId(registry.idOf(source), key)) ?? null;
  await keepMovedRows(client, registry, foldMoves(folding, storedOf, moved));
  const incomplete: IncompleteChange[] = [];
  const settle = (group: KeyChanges): Transition[] => {
    const before = storedOf(group);
    const folded = fold(before, group, moved);
    incomplete.push(...folded.incomplete);
    for (const [index, change] of group.changes.entries())
      outcomes.set(change, folded.outcomes[index] as Outcome);
    if (folded.state === null || folded.state === before) return [];
    return [{ source: group.source, key: group.key, state: folded.state, before }];
  };
  const written = await upsertMirror(client, blind.flatMap(settle), registry);
  for (const [change, outcome] of await outcomesOfUnwritten(client, registry, { blind, written }))
    outcomes.set(change, outcome);
  const folded = folding.flatMap(settle);
  await replaceMirror(client, folded, registry);
  const changed = [
    ...written.filter(({ isChanged }) => isChanged).map(({ settled }) => settled),
    ...folded.filter(isChangedTransition),
  ];
  await replaceLinks(client, changed.filter(hasOtherLinks), registry);
  for (const transition of changed) addSubjects(collector, transition);
  await markDirty(client, collector.marks());
  await noteChanges(client, registry, { changes, truncates, lags });
  const settled = [...written.map((one) => one.settled), ...folded];
  return { settled, changed: changed.length, truncated, outcomes, incomplete };
}

/**
 * Adds the rows that move in a batch to those that moved before. A row may move on and back within it, so that what one
 * key leaves depends on another's: this repeats until no row is added.
 *
 * @returns the added rows
 */
function foldMoves(
  groups: readonly KeyChanges[],
  storedOf: (group: KeyChanges) => MirrorState | null,
  moved: MovedRows,
): MovedRow[] {
  const leaving = groups.filter(({ changes }) => newKeysOf(changes).length > 0);
  const added = new Map<string, MovedRow>();
  for (let isNew = leaving.length > 0; isNew; ) {
    isNew = false;
    for (const row of leaving.flatMap((group) => fold(storedOf(group), group, moved).moved)) {
      const id = movedId(row);
      if (moved.get(id)?.row === row.row) continue;
      moved.set(id, row);
      added.set(id, row);
      isNew = true;
    }
  }
  return [...added.values()];
}

/** The outcomes of the changes that the database has not written, because they are not newer than the stored rows. */
async function outcomesOfUnwritten(
  client: ClientBase,
  registry: SourceRegistry,
  {
    blind,
    written,
  }: { readonly blind: readonly KeyChanges[]; readonly written: readonly { readonly settled: KeyState }[] },
): Promise<[RowChange, Outcome][]> {
  if (written.length === blind.length) return [];
  const idOf = ({ source, key }: Pick<KeyState, 'source' | 'key'>) => stateId(registry.idOf(source), key);
  const isWritten = new Set(written.map(({ settled }) => idOf(settled)));
  const unwritten = blind.filter((group) => !isWritten.has(idOf(group)));
  const stored = await readStored(client, unwritten, registry);
  return unwritten.flatMap((group) =>
    group.changes.map((change): [RowChange, Outcome] => [
      change,
      isOfStored(change, stored.get(idOf(group))) ? 'equal' : 'older',
    ]),
  );
}

const isOfStored = ({ version }: RowChange, stored: MirrorState | undefined): boolean =>
  stored !== undefined && compareVersions(version, stored.version) === 0;

/** A key's new state, and the one before it: null if there was none or it did not matter. */
export interface Transition extends KeyState {
  readonly before: MirrorState | null;
}

/** A row that changed and changed back has its old content, but another time of change. */
const isChangedTransition = ({ state, before }: Transition): boolean =>
  before === null || before.row !== state.row || before.changedTimeMs !== state.changedTimeMs;

/** Those that meet the condition, and the others. */
export function partition<T>(all: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] {
  const [first, second]: [T[], T[]] = [[], []];
  for (const one of all) (isFirst(one) ? first : second).push(one);
  return [first, second];
}

/**
 * The versions whose documents are kept; none is added until the transaction ends. A truncate excludes all other
 * batches: one that has not seen it could bring back a row from before it.
 */
export async function lockVersions(client: ClientBase, isExclusive: boolean): Promise<KeptVersion[]> {
  await client.query({
    name: isExclusive ? 'lock-versions-alone' : 'lock-versions',
    text: isExclusive ? 'select pg_advisory_xact_lock($1)' : 'select pg_advisory_xact_lock_shared($1)',
    values: [LOCKS.versions],
  });
  return keptVersions(client, projections);
}

export function hasOtherLinks({ source, state, before }: Transition): boolean {
  if (source.alsoAbout.length === 0) return false;
  const links = before?.links ?? [];
  return state.links.length !== links.length || state.links.some((link) => !links.includes(link));
}

/** Adds the subjects of the row, now and before. */
export function addSubjects(collector: MarkCollector, { source, state, before }: Transition): void {
  for (const { subject, links } of before === null ? [state] : [state, before]) {
    if (subject !== null) collector.add(source, `${source.subject.kind}:${subject}`);
    for (const link of links) collector.add(source, link);
  }
}

/** Marks the documents of new rows dirty. */
export async function markNewRows(
  client: ClientBase,
  upserts: readonly Upsert[],
  versions: readonly KeptVersion[],
): Promise<void> {
  const collector = collectMarks(versions);
  for (const { source, subject, links } of upserts) {
    collector.add(source, `${source.subject.kind}:${subject}`);
    for (const link of links) collector.add(source, link);
  }
  await markDirty(client, collector.marks());
}
