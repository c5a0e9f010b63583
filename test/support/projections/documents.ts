import type { Pool } from 'pg';
import { documentTable, lookupTable, type Version } from '../../../projections/engine/store/version.ts';

/** Every document of a version and every address, by key, as text that can be compared. */
export type Documents = ReadonlyMap<string, string>;

export async function documentsOf(pool: Pool, version: Version): Promise<Documents> {
  const { rows } = await pool.query<{ key: string; content: string }>(
    `select key, concat_ws(' ', encode(hash, 'hex'), encode(body, 'hex'),
       (select string_agg(format('%s %s %L', rank, support, address), ' ' order by address, rank)
        from ${lookupTable(version)} address where address.document = document.id)) as content
     from ${documentTable(version)} document order by key`,
  );
  return new Map(rows.map(({ key, content }) => [key, content]));
}

/** Keys of documents that are in one only, or not the same in both. */
export function differingKeys(a: Documents, b: Documents): string[] {
  const keys = new Set([...a.keys(), ...b.keys()]);
  return [...keys].filter((key) => a.get(key) !== b.get(key)).sort();
}
