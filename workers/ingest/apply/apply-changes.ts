import type { ClientBase } from 'pg';
import { LOCKS } from '../../../db/locks.ts';
import type { SourceRegistry } from '../../../projections/projection.ts';
import { markDirty } from '../../../projections/store/mark.ts';
import { keptVersions, type Version } from '../../../projections/store/version.ts';
import type { Truncate, Upsert } from '../decode/envelope.ts';
import { collectMarks, type MarkCollector } from './collect-marks.ts';
import {
  type Change,
  fold,
  groupByKey,
  type KeyChanges,
  type MirrorState,
  needsStored,
  type Refusal,
} from './fold.ts';
import { replaceLinks } from './links.ts';
import { readStored, replaceMirror, type Settled, stateId, upsertMirror } from './mirror.ts';
import { announceDeliveries, noteChanges } from './source-state.ts';
import type { StageLags } from './stage-lags.ts';
import { readStandings, requireEpochs } from './standing.ts';
import { applyTruncates, type Floors } from './truncate.ts';

export interface AppliedChanges {
  /** Keys whose stored state became newer. */
  readonly settled: readonly Transition[];
  /** Of these, how many have another content now. */
  readonly changed: number;
  /** The truncates that were newer than any before. */
  readonly truncated: Floors['truncated'];
  readonly floorOf: Floors['floorOf'];
  /** Changes that would need a stored row to be whole, and found none. */
  readonly refused: readonly Refusal[];
}

/**
 * Applies changes to the mirror and marks the documents they touch, in the caller's transaction. Order and
 * repetition do not matter: the newest version of each key wins.
 *
 * @param lags null where the changes did not come through the log
 * @throws EpochRaised where the changes were decoded with an epoch that is over
 */
export async function applyChanges(
  client: ClientBase,
  changes: readonly Change[],
  truncates: readonly Truncate[],
  registry: SourceRegistry,
  lags: StageLags | null = null,
): Promise<AppliedChanges> {
  const touchedSources = new Set([...changes, ...truncates].map(({ source }) => source));
  const versions = await lockVersions(client, truncates.length > 0);
  const standings = await readStandings(client, touchedSources, registry);
  requireEpochs([...changes, ...truncates], standings);
  await announceDeliveries(client, changes, versions, registry);
  const floors = await applyTruncates(client, truncates, standings, registry);
  const collector = collectMarks(versions);
  for (const { source, refs } of floors.removed) for (const ref of refs) collector.add(source, ref);

  const groups = groupByKey(changes, floors.floorOf);
  const [folding, blind] = partition(groups, needsStored);
  const stored = await readStored(client, folding, registry);
  const refused: Refusal[] = [];
  const settle = (group: KeyChanges): Transition[] => {
    const before = stored.get(stateId(registry.idOf(group.source), group.key)) ?? null;
    const outcome = fold(before, group);
    refused.push(...outcome.refused);
    if (outcome.state === null || outcome.state === before) return [];
    return [{ source: group.source, key: group.key, state: outcome.state, before }];
  };
  const written = await upsertMirror(client, blind.flatMap(settle), registry);
  const folded = folding.flatMap(settle);
  await replaceMirror(client, folded, registry);
  const changed = [
    ...written.filter(({ isChanged }) => isChanged).map(({ settled }) => settled),
    ...folded.filter(isChangedTransition),
  ];
  await replaceLinks(client, changed.filter(hasOtherLinks), registry);
  for (const transition of changed) addTouched(collector, transition);
  await markDirty(client, collector.marks());
  await noteChanges(client, changes, truncates, registry, lags);
  const settled = [...written.map((one) => one.settled), ...folded];
  const { truncated, floorOf } = floors;
  return { settled, changed: changed.length, truncated, floorOf, refused };
}

/** A key's state and the one before it; null where there was none, or where it did not matter. */
interface Transition extends Settled {
  readonly before: MirrorState | null;
}

/** A row that changed and changed back is what it was, but not since when. */
const isChangedTransition = ({ state, before }: Transition): boolean =>
  before === null || before.row !== state.row || before.changedTimeMs !== state.changedTimeMs;

function partition<T>(all: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] {
  const [first, second]: [T[], T[]] = [[], []];
  for (const one of all) (isFirst(one) ? first : second).push(one);
  return [first, second];
}

/**
 * The versions whose documents are kept; none is added until the transaction ends. A truncate runs alone: a batch
 * beside it that had not seen it could bring back a row from before.
 */
export async function lockVersions(client: ClientBase, alone: boolean): Promise<Version[]> {
  await client.query({
    name: alone ? 'lock-versions-alone' : 'lock-versions',
    text: alone ? 'select pg_advisory_xact_lock($1)' : 'select pg_advisory_xact_lock_shared($1)',
    values: [LOCKS.versions],
  });
  return keptVersions(client);
}

function hasOtherLinks({ source, state, before }: Transition): boolean {
  if (source.feeds.length === 0) return false;
  const links = before?.links ?? [];
  return state.links.length !== links.length || state.links.some((link) => !links.includes(link));
}

/** What the row is about now and what it was about before. */
function addTouched(collector: MarkCollector, { source, state, before }: Transition): void {
  for (const { subject, links } of before === null ? [state] : [state, before]) {
    if (subject !== null) collector.add(source, `${source.subject.kind}:${subject}`);
    for (const link of links) collector.add(source, link);
  }
}

/** Marks the documents of rows that are new. */
export async function markRefs(
  client: ClientBase,
  upserts: readonly Upsert[],
  versions: readonly Version[],
): Promise<void> {
  const collector = collectMarks(versions);
  for (const { source, subject, links } of upserts) {
    collector.add(source, `${source.subject.kind}:${subject}`);
    for (const link of links) collector.add(source, link);
  }
  await markDirty(client, collector.marks());
}
