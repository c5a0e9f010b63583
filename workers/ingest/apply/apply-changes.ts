import type { ClientBase } from 'pg';
import { LOCKS } from '../../../db/locks.ts';
import { projectionByName } from '../../../projections/index.ts';
import type { SourceRegistry } from '../../../projections/projection.ts';
import type { SubjectRef } from '../../../projections/rows.ts';
import type { Source, SubjectKind } from '../../../projections/sources/contract.ts';
import { type Mark, markDirty } from '../../../projections/store/mark.ts';
import { keptVersions, type Version } from '../../../projections/store/version.ts';
import type { Truncate, Upsert } from '../decode/envelope.ts';
import { type Change, fold, groupByKey, type MirrorState, needsStored, type Refusal } from './fold.ts';
import { type Applied, readStored, replaceLinks, type Settled, stateId, upsertMirror } from './mirror.ts';
import { announceDeliveries, noteChanges } from './source-state.ts';
import { applyTruncates } from './truncate.ts';

export interface AppliedChanges {
  /** Keys whose stored state became newer. */
  readonly applied: number;
  /** Changes that would need a stored row to be whole, and found none. */
  readonly refused: readonly Refusal[];
}

/** Another transaction created a row between our look and our write; the batch has to run again. */
export class ConcurrentCreation extends Error {
  override readonly name = 'ConcurrentCreation';
}

/**
 * Applies changes to the mirror and marks the documents they touch, in the caller's transaction. Order and
 * repetition do not matter: the newest version of each key wins.
 */
export async function applyChanges(
  client: ClientBase,
  changes: readonly Change[],
  truncates: readonly Truncate[],
  registry: SourceRegistry,
): Promise<AppliedChanges> {
  const touchedSources = new Set([...changes, ...truncates].map(({ source }) => source));
  const versions = await lockVersions(client, truncates.length > 0);
  await announceDeliveries(client, changes, versions, registry);
  const floors = await applyTruncates(client, truncates, touchedSources, registry);
  const marks = floors.removed.flatMap(({ source, refs }) => marksFor(source, refs, versions));

  const groups = groupByKey(changes, floors.floorOf);
  const folding = groups.filter(needsStored);
  const stored = await readStored(client, folding, registry);
  const refused: Refusal[] = [];
  const folded: Settled[] = [];
  const blind: Settled[] = [];
  for (const group of groups) {
    const isFolding = needsStored(group);
    const before = isFolding ? (stored.get(stateId(registry.idOf(group.source), group.key)) ?? null) : null;
    const outcome = fold(before, group);
    refused.push(...outcome.refused);
    if (outcome.state === null || outcome.state === before) continue;
    (isFolding ? folded : blind).push({
      source: group.source,
      key: group.key,
      state: outcome.state,
    });
  }
  const written = [
    ...(await upsertMirror(client, blind, registry, false)),
    ...(await upsertMirror(client, folded, registry, true)),
  ];
  const changed = changedStates(written, [...blind, ...folded], stored, registry);
  await replaceLinks(
    client,
    changed
      .filter(({ after, before }) => after.source.feeds.length > 0 && !sameLinks(after.state, before))
      .map(({ after }) => after),
    registry,
  );
  for (const { after, before } of changed) {
    marks.push(...marksFor(after.source, touchedRefs(after, before), versions));
  }
  await markDirty(client, uniqueMarks(marks));
  await noteChanges(client, changes, truncates, registry);
  return { applied: written.length, refused };
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

interface ChangedState {
  readonly after: Settled;
  readonly before: MirrorState | null;
}

function changedStates(
  written: readonly Applied[],
  settled: readonly Settled[],
  stored: ReadonlyMap<string, MirrorState>,
  registry: SourceRegistry,
): ChangedState[] {
  const byId = new Map(settled.map((entry) => [stateId(registry.idOf(entry.source), entry.key), entry]));
  return written.flatMap((row) => {
    const id = stateId(row.source, row.key);
    const after = byId.get(id);
    if (after === undefined) return [];
    const before = stored.get(id) ?? null;
    if (row.was_there && before === null && after.source.feeds.length > 0) throw new ConcurrentCreation(id);
    const isChanged = row.is_changed || (before !== null && before.row !== after.state.row);
    return isChanged ? [{ after, before }] : [];
  });
}

const sameLinks = (after: MirrorState, before: MirrorState | null): boolean =>
  after.links.length === (before?.links.length ?? 0) &&
  after.links.every((link) => before?.links.includes(link));

/** Marks the documents of rows that are new. */
export async function markRefs(
  client: ClientBase,
  upserts: readonly Upsert[],
  versions: readonly Version[],
): Promise<void> {
  const marks = upserts.flatMap(({ source, subject, links }) =>
    marksFor(source, [`${source.subject.kind}:${subject}`, ...links], versions),
  );
  await markDirty(client, uniqueMarks(marks));
}

/** What the row is about now and what it was about before. */
function touchedRefs({ source, state }: Settled, before: MirrorState | null): SubjectRef[] {
  const refs = new Set<SubjectRef>([...state.links, ...(before?.links ?? [])]);
  for (const subject of [state.subject, before?.subject ?? null]) {
    if (subject !== null) refs.add(`${source.subject.kind}:${subject}`);
  }
  return [...refs];
}

/** For each projection, the kinds of subject by which it reads a source. */
const readBy: ReadonlyMap<string, ReadonlyMap<string, readonly SubjectKind[]>> = new Map(
  [...projectionByName].map(([name, { reads }]) => [
    name,
    new Map(reads.map(({ source, by }) => [source.table, by])),
  ]),
);

function marksFor(source: Source, refs: readonly SubjectRef[], versions: readonly Version[]): Mark[] {
  return versions.flatMap((version) => {
    const kinds = readBy.get(version.projection)?.get(source.table) ?? [];
    return refs
      .filter((ref) => kinds.some((kind) => ref.startsWith(`${kind}:`)))
      .map((key) => ({ version, key }));
  });
}

function uniqueMarks(marks: readonly Mark[]): Mark[] {
  return [...new Map(marks.map((mark) => [`${mark.version.id} ${mark.key}`, mark])).values()];
}
