import type { ClientBase } from 'pg';
import type { Source } from '../../../projections/contracts/contract.ts';
import type { SourceRegistry } from '../../../projections/engine/projection.ts';
import { markDirty } from '../../../projections/engine/store/mark.ts';
import { removedVersion } from '../decode/version.ts';
import { addSubjects, hasOtherLinks, lockVersions, type Transition } from './apply-changes.ts';
import { collectMarks } from './collect-marks.ts';
import type { MirrorState } from './fold.ts';
import {
  lockRemoved,
  lockSeen,
  type RemovedRow,
  replaceLinks,
  replaceMirror,
  type SeenRow,
} from './mirror.ts';

/** Writes removed rows again, except those that have changed since, and marks their documents dirty. @returns how many */
export async function restoreRows(
  client: ClientBase,
  registry: SourceRegistry,
  source: Source,
  removed: readonly RemovedRow[],
): Promise<number> {
  return rewriteRows(client, registry, () => lockRemoved(client, registry, source, removed));
}

interface SeenRows {
  readonly rows: readonly SeenRow[];
  /** The version of a removal without a log position. */
  readonly removal: string;
  /** When the rows were known to be gone, in milliseconds since 1970. */
  readonly timeMs: number;
  /** Runs before the rows are removed, with their keys. */
  readonly keep: (keys: readonly string[]) => Promise<void>;
}

/**
 * Removes rows, except those that have changed since they were seen, and marks their documents dirty. Every record that
 * is newer than such a row brings its key back.
 *
 * @returns how many
 */
export async function removeRows(
  client: ClientBase,
  registry: SourceRegistry,
  source: Source,
  { rows, removal, timeMs, keep }: SeenRows,
): Promise<number> {
  return rewriteRows(client, registry, async () => {
    const seen = await lockSeen(client, registry, source, rows);
    await keep(seen.map(({ key }) => key));
    return seen.map(({ key, state }) => {
      const version = removedVersion(state.version, removal);
      const gone = { links: [], orderKey: '', row: null, sourceTimeMs: timeMs, changedTimeMs: timeMs };
      return { source, key, before: state, state: { ...state, ...gone, version } };
    });
  });
}

/**
 * Writes other states of stored rows, and marks their documents dirty.
 *
 * @param lockRows locks rows and returns their new states, after the lock of the versions
 * @returns how many
 */
export async function rewriteRows(
  client: ClientBase,
  registry: SourceRegistry,
  lockRows: () => Promise<readonly (Transition & { readonly before: MirrorState })[]>,
): Promise<number> {
  const versions = await lockVersions(client, false);
  const changed = await lockRows();
  if (changed.length === 0) return 0;
  await replaceMirror(client, changed, registry);
  await replaceLinks(client, changed.filter(hasOtherLinks), registry);
  const collector = collectMarks(versions);
  for (const transition of changed) addSubjects(collector, transition);
  await markDirty(client, collector.marks());
  return changed.length;
}
