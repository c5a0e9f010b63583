import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Pool } from 'pg';
import { textArray } from './arrays.ts';

const MIGRATIONS = fileURLToPath(new URL('./migrations', import.meta.url));

/** A table or a schema that is not there. */
const NOT_THERE: ReadonlySet<unknown> = new Set(['42P01', '3F000']);

/** The names of this code's migrations that the database has not seen. Ones of newer code do no harm. */
export async function pendingMigrations(pool: Pool): Promise<string[]> {
  const names = (await readdir(MIGRATIONS)).map((file) => file.replace(/\.sql$/, '')).sort();
  try {
    const { rows } = await pool.query<{ name: string }>({
      name: 'pending-migrations',
      text: `select name from unnest($1::text[]) needed (name)
             where not exists (select from public.schema_migration done where done.name = needed.name)
             order by name`,
      values: [textArray(names)],
    });
    return rows.map(({ name }) => name);
  } catch (error) {
    if (NOT_THERE.has((error as { code?: string }).code)) return names;
    throw error;
  }
}
