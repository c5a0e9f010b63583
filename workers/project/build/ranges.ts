import type { ClientBase, Pool } from 'pg';
import { int2Array, textArray } from '../../../db/arrays.ts';
import { LOCKS } from '../../../db/locks.ts';
import { transaction } from '../../../db/transaction.ts';
import type { Projection, SourceRegistry } from '../../../projections/projection.ts';
import type { SubjectRef } from '../../../projections/rows.ts';
import type { Source } from '../../../projections/sources/contract.ts';
import type { Version } from '../../../projections/store/version.ts';

/** Documents projected and copied in one transaction. */
const RANGE = 500;

/**
 * Writes down the keys of all documents in ranges, so that builders can share them and tell how much is left. Documents
 * that share rows share a range, where the rows are read once for all of them. Builders that come later find it done.
 *
 * @returns how many documents there are to build in all
 */
export async function planRanges(
  pool: Pool,
  projection: Projection,
  version: Version,
  registry: SourceRegistry,
): Promise<number> {
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
         select key, (row_number() over (order by place, key) - 1) / ${RANGE} as range
         from (select key, coalesce(min(beside), key) as place from (${keys.text}) every group by key) placed
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
 * A query for every key that may have a document, each perhaps more than once, and the key of another document that is
 * made of rows of it; its parameters begin with the second.
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
    // What their rows are about has a document too.
    const shared = linked.filter(({ subject }) => keys.includes(subject.kind));
    const sharedKinds = param(textArray(shared.map(({ subject }) => subject.kind)));
    const prefix = `${param(`${kind}:`)}::text`;
    return `
      select (${prefix} || subject) collate "C" as key, null::text collate "C" as beside
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
 * Takes the next range that no builder has, for this transaction: it is gone when the transaction commits, and there
 * again when it does not.
 *
 * @returns null where none is left, or all that are left are taken
 */
export async function takeRange(client: ClientBase, { id }: Version): Promise<SubjectRef[] | null> {
  const { rows } = await client.query<{ keys: SubjectRef[] }>({
    name: 'take-range',
    text: `delete from projection.build_range
           where version = $1 and range = (
             select range from projection.build_range where version = $1
             order by range limit 1 for update skip locked)
           returning keys`,
    values: [id],
  });
  return rows[0]?.keys ?? null;
}

/** Documents of the ranges that are not built yet. */
export async function countLeft(client: ClientBase | Pool, { id }: Pick<Version, 'id'>): Promise<number> {
  const { rows } = await client.query<{ left: number }>({
    name: 'count-left',
    text: 'select coalesce(sum(size), 0)::int4 as left from projection.build_range where version = $1',
    values: [id],
  });
  return rows[0]?.left ?? 0;
}
