import { readdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { withDatabase } from '../test/support/services/database.ts';
import { describeSchema } from '../test/support/services/describe-schema.ts';
import { migrate } from './migrate.ts';

const SCHEMA = fileURLToPath(new URL('./schema.txt', import.meta.url));
const MIGRATIONS = fileURLToPath(new URL('./migrations', import.meta.url));

const migrationFiles = async () => (await readdir(MIGRATIONS)).filter((file) => file.endsWith('.sql'));

describe('migrate', () => {
  const empty = withDatabase('empty');

  it('runs every migration once, in the order of their names', async () => {
    const names = (await migrationFiles()).map((file) => file.replace(/\.sql$/, '')).sort();
    expect(await migrate(empty.url)).toEqual(names);
    const schema = await describeSchema(empty.pool);
    expect(await migrate(empty.url)).toEqual([]);
    expect(await describeSchema(empty.pool)).toBe(schema);
  });
});

describe('two concurrent migrations', () => {
  const empty = withDatabase('empty');

  it('share the work without an error', async () => {
    const [one, two] = await Promise.all([migrate(empty.url), migrate(empty.url)]);
    expect([one.length, two.length].sort()).toEqual([0, (await migrationFiles()).length]);
  });
});

describe('schema.txt', () => {
  const migrated = withDatabase();

  it('matches the migrations; UPDATE_SCHEMA=1 rewrites it', async () => {
    const schema = await describeSchema(migrated.pool);
    if (process.env.UPDATE_SCHEMA === '1') await writeFile(SCHEMA, schema);
    expect(schema).toBe(await readFile(SCHEMA, 'utf8'));
  });
});
