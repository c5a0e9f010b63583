import type { ClientBase, Pool } from 'pg';
import { int2Array, textArray } from '../../../db/arrays.ts';
import { LOCKS } from '../../../db/locks.ts';
import { transaction } from '../../../db/transaction.ts';
import type { Source } from '../../../projections/contracts/contract.ts';
import type { Projection, SourceRegistry } from '../../../projections/engine/projection.ts';
import type { SubjectRef } from '../../../projections/engine/rows.ts';
import type { Version } from '../../../projections/engine/store/version.ts';

/** Documents projected and copied in one transaction. */
const RANGE_SIZE = 500;

interface RangePlan {
  readonly projection: Projection;
  readonly version: Version;
  readonly registry: SourceRegistry;
}

/**
 * Stores the keys of all documents in ranges, which builders share and count. Documents that share rows share a range, so
 * that the rows are read once. Does nothing if another builder has planned the version.
 *
 * @returns the number of documents to build
 */
export async function planRanges(pool: Pool, { projection, version, registry }: RangePlan): Promise<number> {
  return transaction(pool, async (client) => {
    await client.query('select pg_advisory_xact_lock($1, $2)', [LOCKS.finish, version.id]);
    const { rows } = await client.query<{ planned: number | null }>(
      'select planned from projection.version where id = $1',
      [version.id],
    );
    const [found] = rows;
    if (found === undefined) throw new Error(`version ${version.id} of ${projection.name} was dropped`);
    if (found.planned !== null) return found.planned;
    const keys = keysOf(projection, registry);
    await client.query(`set local work_mem = '64MB'`);
    await client.query(
      `insert into projection.build_range (version, range, size, keys)
       select $1, range, count(*), array_agg(key order by key)
       from (
         select key, (row_number() over (order by place, key) - 1) / ${RANGE_SIZE} as range
         from (select key, coalesce(min(neighbour), key) as place from (${keys.text}) every group by key) placed
       ) numbered
       group by range`,
      [version.id, ...keys.values],
    );
    const total = await countLeft(client, version);
    await client.query('update projection.version set planned = $2 where id = $1', [version.id, total]);
    return total;
  });
}

/**
 * A query for every key that may have a document, perhaps more than once, and as `neighbour` the key of a document that
 * shares its rows. Its parameters start at $2.
 */
function keysOf(
  { keys, reads }: Projection,
  registry: SourceRegistry,
): { text: string; values: (string | Buffer)[] } {
  const values: (string | Buffer)[] = [];
  const param = (value: string | Buffer): string => `$${values.push(value) + 1}`;
  const ids = (of: readonly Source[]): string => `${param(int2Array(of.map(registry.idOf)))}::int2[]`;
  const parts = keys.map((kind) => {
    const read = reads.filter(({ by }) => by.includes(kind)).map(({ source }) => source);
    const direct = read.filter(({ subject }) => subject.kind === kind);
    const linked = read.filter(({ subject }) => subject.kind !== kind);
    // The subjects of their rows have documents too.
    const shared = linked.filter(({ subject }) => keys.includes(subject.kind));
    const sharedKinds = param(textArray(shared.map(({ subject }) => subject.kind)));
    const prefix = `${param(`${kind}:`)}::text`;
    return `
      select (${prefix} || subject) collate "C" as key, null::text collate "C" as neighbour
      from ingest.mirror where source = any(${ids(direct)}) and row is not null
      union all
      select subject, null
      from ingest.link where source = any(${ids(linked)}) and subject like ${prefix} || '%'
      union all
      select link.subject, shared.kind || ':' || mirror.subject
      from unnest(${ids(shared)}, ${sharedKinds}::text[]) shared (source, kind)
        join ingest.link using (source) join ingest.mirror using (source, key)
      where link.subject like ${prefix} || '%'`;
  });
  return { text: parts.join(' union all '), values };
}

/**
 * Claims the next free range: a commit of the transaction deletes it, a rollback frees it.
 *
 * @returns null if none is left or other builders have claimed the rest
 */
export async function claimRange(client: ClientBase, { id }: Version): Promise<SubjectRef[] | null> {
  const { rows } = await client.query<{ keys: SubjectRef[] }>({
    name: 'claim-range',
    text: `delete from projection.build_range
           where version = $1 and range = (
             select range from projection.build_range where version = $1
             order by range limit 1 for update skip locked)
           returning keys`,
    values: [id],
  });
  return rows[0]?.keys ?? null;
}

/** Documents that are not built yet. */
export async function countLeft(client: ClientBase | Pool, { id }: Pick<Version, 'id'>): Promise<number> {
  const { rows } = await client.query<{ left: number }>({
    name: 'count-left',
    text: 'select coalesce(sum(size), 0)::int4 as left from projection.build_range where version = $1',
    values: [id],
  });
  return rows[0]?.left ?? 0;
}
