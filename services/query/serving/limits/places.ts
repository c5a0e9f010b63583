import type { Releasable } from '../rate-limits.ts';

/** Requests under way in this process, by key. */
export interface Places {
  /** Takes a place for a request of the key, until it is released. */
  take(id: string): Releasable;
  /** How many the key has taken. */
  taken(id: string): number;
}

/** @param onRelease told of each key that gave a place back */
export function keyPlaces(onRelease: (id: string) => void = () => {}): Places {
  // A key has an entry as long as a request of it is under way, and all of them share it.
  const known = new Map<string, { taken: number } & Releasable>();

  function begin(id: string) {
    const entry = {
      taken: 0,
      release() {
        entry.taken--;
        if (entry.taken === 0) known.delete(id);
        onRelease(id);
      },
    };
    known.set(id, entry);
    return entry;
  }

  return {
    take(id) {
      const entry = known.get(id) ?? begin(id);
      entry.taken++;
      return entry;
    },
    taken: (id) => known.get(id)?.taken ?? 0,
  };
}
