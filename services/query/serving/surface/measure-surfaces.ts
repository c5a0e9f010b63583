import type { Pool } from 'pg';
import { int2Array } from '../../../../db/arrays.ts';
import type { Seen } from './liveness.ts';

/** Whether a source has a row is told by its first one, which the index of its keys finds. */
const MEASURE = `
  select known.id, greatest(known.newest_change_at, known.newest_heartbeat_at) as heard_at,
    known.newest_change_at is not null as has_delivered, first.key is not null as has_rows
  from unnest($1::int2[]) asked (id)
    join ingest.source known on known.id = asked.id
    left join lateral (
      select key from ingest.mirror where source = known.id and row is not null order by key limit 1
    ) first on true`;

interface MeasuredRow {
  readonly id: number;
  readonly heard_at: Date | null;
  readonly has_delivered: boolean;
  readonly has_rows: boolean;
}

/** Looks at how sources stand, by id, in one statement. */
export async function measureSurfaces(
  pool: Pool,
  sourceIds: readonly number[],
): Promise<ReadonlyMap<number, Seen>> {
  const { rows } = await pool.query<MeasuredRow>({
    name: 'surfaces-measured',
    text: MEASURE,
    values: [int2Array(sourceIds)],
  });
  return new Map(
    rows.map(({ id, heard_at, has_delivered, has_rows }) => [
      id,
      {
        hasRows: has_rows,
        hasDelivered: has_rows || has_delivered,
        heardMs: heard_at?.getTime() ?? null,
      },
    ]),
  );
}
