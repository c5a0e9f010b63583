import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { runner } from 'node-pg-migrate';
import type { Pool } from 'pg';
import { textArray } from './arrays.ts';

const MIGRATIONS = fileURLToPath(new URL('./migrations', import.meta.url));

/**
 * Brings the database at `url` to the newest schema; concurrent callers wait for each other.
 *
 * @returns the names of the migrations that ran
 */
export async function migrate(url: string): Promise<string[]> {
  const done = await runner({
    databaseUrl: url,
    dir: MIGRATIONS,
    // The folder has a README.
    ignorePattern: '.*(?<!\\.sql)',
    direction: 'up',
    migrationsTable: 'schema_migration',
    advisoryLockMode: 'wait',
    log: () => {},
  });
  return done.map((migration) => migration.name);
}

/** SQLSTATEs undefined_table and invalid_schema_name. */
const MISSING_TABLE: ReadonlySet<unknown> = new Set(['42P01', '3F000']);

/** The names of this release's migrations that the database lacks. Migrations of newer releases do no harm. */
export async function pendingMigrations(pool: Pool): Promise<string[]> {
  const files = (await readdir(MIGRATIONS)).filter((file) => file.endsWith('.sql'));
  const names = files.map((file) => file.slice(0, -'.sql'.length)).sort();
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
    if (MISSING_TABLE.has((error as { code?: string }).code)) return names;
    throw error;
  }
}
