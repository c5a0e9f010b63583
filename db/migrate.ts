import { fileURLToPath } from 'node:url';
import { runner } from 'node-pg-migrate';

const MIGRATIONS = fileURLToPath(new URL('./migrations', import.meta.url));

/** Brings the database at `url` to the newest schema. Returns the names of the migrations it ran; callers at once take turns. */
export async function migrate(url: string): Promise<string[]> {
  const done = await runner({
    databaseUrl: url,
    dir: MIGRATIONS,
    direction: 'up',
    migrationsTable: 'schema_migration',
    advisoryLockMode: 'wait',
    log: () => {},
  });
  return done.map((migration) => migration.name);
}
