import type { Source } from '../../../projections/sources/contract.ts';
import { type Change, fold, type MirrorState } from '../apply/fold.ts';
import type { Decoded, DecodedRecord, Truncate } from '../decode/envelope.ts';
import type { Applied } from './verdict.ts';

/** The changes of one key, oldest first, and the state before them. */
export interface KeyWalk {
  readonly changes: readonly Change[];
  readonly before: MirrorState | null;
  /** The version up to which the source's changes have lost to a truncate. */
  readonly floor: string | null;
}

/** Walks the changes of one key one by one; applying them at once comes to the same. */
export function walk({ changes, before, floor }: KeyWalk): Applied & { readonly state: MirrorState | null } {
  const taken = new Set<Decoded>();
  const missing = new Map<Decoded, readonly string[]>();
  let state = before;
  for (const change of changes) {
    if (change.kind !== 'tombstone' && floor !== null && change.version <= floor) continue;
    const { source, key } = change;
    const outcome = fold(state, { source, key, changes: [change] });
    for (const refusal of outcome.refused) missing.set(change, refusal.missing);
    if (outcome.state !== state) taken.add(change);
    state = outcome.state;
  }
  return { taken, missing, state };
}

/** Changes by `keyOf`, in their order, and truncates. */
export function sortChanges(records: readonly DecodedRecord[]): {
  readonly byKey: ReadonlyMap<string, Change[]>;
  readonly truncates: Truncate[];
} {
  const byKey = new Map<string, Change[]>();
  const truncates: Truncate[] = [];
  for (const { decoded } of records) {
    if (decoded.kind === 'truncate') truncates.push(decoded);
    if (decoded.kind !== 'upsert' && decoded.kind !== 'delete' && decoded.kind !== 'tombstone') continue;
    const changes = byKey.get(keyOf(decoded));
    if (changes === undefined) byKey.set(keyOf(decoded), [decoded]);
    else changes.push(decoded);
  }
  return { byKey, truncates };
}

/** Tells the keys of all sources apart. */
export const keyOf = ({ source, key }: { readonly source: Source; readonly key: string }): string =>
  `${source.table} ${key}`;
