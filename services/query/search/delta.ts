import { rankOfId } from '../../../projections/models/search/columns.ts';
import type { SearchDocument } from '../../../projections/models/search/document.ts';
import { countBits, noBits, type RankSet, setBit } from '../../../projections/models/search/rank-set.ts';
import { memorySegment } from './memory-segment.ts';
import type { PartView, Segment } from './segment.ts';

/** A changed release group; `document` is null if it was deleted. */
export interface DocumentChange {
  readonly id: number;
  readonly document: SearchDocument | null;
}

/** A generation and the changes since. */
export interface Delta {
  /** Number of changed release groups. */
  readonly size: number;
  /** Immutable segments that together hold every release group once; `apply` makes new ones. */
  readonly parts: readonly PartView[];
  apply(changes: readonly DocumentChange[]): void;
}

/** Maximum changes in the open segment, which is rebuilt by every `apply`. */
const MOST_OPEN = 2_048;

/** @param base the generation's segment */
export function deltaOn(base: Segment, mostOpen = MOST_OPEN): Delta {
  let baseHidden: RankSet | null = null;
  /** Full segments, the oldest first. */
  let full: PartView[] = [];
  let open = new Map<number, SearchDocument>();
  const changed = new Set<number>();
  let parts: readonly PartView[] = [{ segment: base, hidden: null }];

  /** Hides older states of release groups. Earlier `parts` are not changed. */
  function hide(ids: readonly number[]): void {
    baseHidden = hiddenIn({ segment: base, hidden: baseHidden }, ids);
    full = full.map((part) => ({ segment: part.segment, hidden: hiddenIn(part, ids) }));
  }

  return {
    get size() {
      return changed.size;
    },
    get parts() {
      return parts;
    },
    apply(changes) {
      if (changes.length === 0) return;
      hide(changes.map(({ id }) => id));
      for (const { id } of changes) {
        changed.add(id);
        open.delete(id);
      }
      for (const { id, document } of changes) {
        if (document !== null) open.set(id, document);
        if (open.size < mostOpen) continue;
        full.push({ segment: memorySegment([...open.values()]), hidden: null });
        open = new Map();
      }
      const newest: PartView[] =
        open.size === 0 ? [] : [{ segment: memorySegment([...open.values()]), hidden: null }];
      parts = [{ segment: base, hidden: baseHidden }, ...full, ...newest];
    },
  };
}

function hiddenIn({ segment, hidden }: PartView, ids: readonly number[]): RankSet | null {
  const ranks = ids.map((id) => rankOfId(segment.columns, id)).filter((rank) => rank >= 0);
  if (ranks.length === 0) return hidden;
  const bits = hidden?.kind === 'bits' ? hidden.bits.slice() : noBits(segment.size);
  for (const rank of ranks) setBit(bits, rank);
  return { kind: 'bits', bits, count: countBits(bits) };
}
