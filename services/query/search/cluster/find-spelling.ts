import type { SearchCluster } from '../../../../projections/models/search/opensearch/cluster.ts';
import {
  spellingsOf,
  splitSpelling,
} from '../../../../projections/models/search/opensearch/indexed-document.ts';
import type { SearchQuery } from '../query.ts';
import { termsIn } from './count-values.ts';
import { request } from './request.ts';
import { matching } from './request-body.ts';

const FIELD = spellingsOf('label');
/** Release groups of a label may have others, too. */
const SPELLINGS = { terms: { field: FIELD, size: 4_096 } };

interface Wanted {
  /** Finds the release groups of the label. */
  readonly query: SearchQuery;
  readonly folded: string;
  readonly signal: AbortSignal;
}

/** A label in its commonest spelling; null if no release group has it. */
export async function findSpelling(
  cluster: SearchCluster,
  { query, folded, signal }: Wanted,
): Promise<string | null> {
  const response = await request(
    cluster,
    {
      query: matching(query),
      size: 0,
      aggs: { [FIELD]: SPELLINGS },
    },
    signal,
  );
  const [first] = termsIn(response.aggregations, FIELD)
    .buckets.map(({ key, doc_count: count }) => ({ ...splitSpelling(key), count }))
    .filter((spelling) => spelling.folded === folded)
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
  return first?.value ?? null;
}
