import { sizeOf } from '../../../projections/search/rank-set.ts';
import { countFacets } from './count-facets.ts';
import { askedFor, match } from './match.ts';
import { askedValue, searchQuery } from './query.ts';
import type { PartView } from './segment.ts';

/** A label in its commonest spelling; null where a search for it finds nothing. */
export async function findLabelIn(parts: readonly PartView[], name: string): Promise<string | null> {
  const query = searchQuery('', { label: [name] }, { offset: 0, limit: 0 });
  const asked = askedFor(query);
  const found = await Promise.all(
    parts.map(async (part) => match(part, query, await part.segment.tell(asked))),
  );
  if (found.every(({ all }) => sizeOf(all) === 0)) return null;
  const folded = askedValue(name);
  const { counts } = countFacets(found, { most: COUNTED, shown: () => Number.POSITIVE_INFINITY });
  return counts.label.find(({ value }) => askedValue(value) === folded)?.value ?? null;
}

/** Of a label with very many release groups, the most popular ones tell how it is spelt. */
const COUNTED = 1_000;
