import { type ListFacet, listFacets } from '../../../projections/search/facets.ts';

export interface ValueCount {
  readonly value: string;
  readonly count: number;
}

/**
 * Keeps the most frequent values of each facet, the first first; of equally frequent ones, by code units, so that the
 * order is always the same. Very many may be offered, few of which are worth keeping.
 */
export function mostFrequent(shown: (facet: ListFacet) => number) {
  const lists: Record<ListFacet, ValueCount[]> = { genre: [], style: [], format: [], country: [], label: [] };
  const cut = new Set<ListFacet>();
  return {
    lists,
    /** The facets that were offered more than is kept, in their order. */
    cut: (): ListFacet[] => listFacets.filter((facet) => cut.has(facet)),
    offer(facet: ListFacet, value: string, count: number): void {
      const list = lists[facet];
      const isBefore = (other: ValueCount | undefined): boolean =>
        other !== undefined && (count > other.count || (count === other.count && value < other.value));
      const isFull = list.length === shown(facet);
      if (isFull) cut.add(facet);
      if (isFull && !isBefore(list.at(-1))) return;
      let place = 0;
      for (let high = list.length; place < high; ) {
        const middle = (place + high) >>> 1;
        if (isBefore(list[middle])) high = middle;
        else place = middle + 1;
      }
      list.splice(place, 0, { value, count });
      if (isFull) list.pop();
    },
  };
}
