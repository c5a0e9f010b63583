import type { Pool } from 'pg';
import type { RowPosition } from './cursor.ts';
import type { SurfaceActivity } from './liveness.ts';

export interface PageRequest {
  readonly sourceId: number;
  readonly cluster: string;
  /** The row before the page. */
  readonly after: RowPosition;
  /** Maximum rows. */
  readonly limit: number;
}

export interface SurfacePage extends SurfaceActivity {
  /** As stored, in order. */
  readonly rows: readonly string[];
  /** Whether the cluster has rows, on this page or before it. */
  readonly isPresent: boolean;
  /** The last row if more rows follow it, else null. */
  readonly last: RowPosition | null;
}

/** Before every row: no row has both keys empty. */
export const START: RowPosition = { orderKey: '', key: '' };

/** The sub-selects run only for an empty page, and each stops at the first row. */
const PAGE = `
  select known.newest_change_at is not null as has_delivered, page.row, page.order_key, page.key,
    case when page.key is null then (
      select true from ingest.mirror
      where source = $1 and subject = $2 and row is not null order by order_key, key limit 1
    ) end as has_earlier,
    case when page.key is null then (
      select true from ingest.mirror where source = $1 and row is not null order by key limit 1
    ) end as has_others
  from ingest.source known
    left join lateral (
      select row, order_key, key from ingest.mirror
      where source = $1 and subject = $2 and row is not null and (order_key, key) > ($3, $4)
      order by order_key, key limit $5
    ) page on true
  where known.id = $1
  order by page.order_key, page.key`;

interface PageRow {
  readonly has_delivered: boolean;
  readonly row: string | null;
  readonly order_key: string;
  readonly key: string;
  readonly has_earlier: boolean | null;
  readonly has_others: boolean | null;
}

/** Reads rows of one cluster and the activity of its source, in one statement. */
export async function readPage(
  pool: Pool,
  { sourceId, cluster, after, limit }: PageRequest,
): Promise<SurfacePage> {
  const { rows: found } = await pool.query<PageRow>({
    name: 'surface-page',
    text: PAGE,
    // One more row than the limit shows whether another page follows.
    values: [sourceId, cluster, after.orderKey, after.key, limit + 1],
  });
  const [first] = found;
  const rows = found.flatMap(({ row }) => row ?? []).slice(0, limit);
  const last = found.length > limit ? found[limit - 1] : undefined;
  const hasRows = rows.length > 0 || first?.has_others === true;
  return {
    rows,
    isPresent: rows.length > 0 || first?.has_earlier === true,
    hasRows,
    hasDelivered: hasRows || first?.has_delivered === true,
    last: last === undefined ? null : { orderKey: last.order_key, key: last.key },
  };
}
