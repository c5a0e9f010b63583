import { readdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { withDatabase } from '../test/services/database.ts';
import { describeSchema } from './describe-schema.ts';
import { migrate } from './migrate.ts';

const SCHEMA = fileURLToPath(new URL('./schema.txt', import.meta.url));
const MIGRATIONS = fileURLToPath(new URL('./migrations', import.meta.url));

describe('migrate', () => {
  const empty = withDatabase('empty');

  it('runs every migration once, in the order of their names, however often it is called', async () => {
    const names = (await readdir(MIGRATIONS)).map((file) => file.replace(/\.sql$/, '')).sort();
    expect(await migrate(empty.url)).toEqual(names);
    const schema = await describeSchema(empty.pool);
    expect(await migrate(empty.url)).toEqual([]);
    expect(await describeSchema(empty.pool)).toBe(schema);
  });
});

describe('two migrations at once', () => {
  const empty = withDatabase('empty');

  it('share the work without an error', async () => {
    const [one, two] = await Promise.all([migrate(empty.url), migrate(empty.url)]);
    expect([one.length, two.length].sort()).toEqual([0, (await readdir(MIGRATIONS)).length]);
  });
});

describe('schema.txt', () => {
  const migrated = withDatabase();

  it('says what the migrations make; UPDATE_SCHEMA=1 writes it anew', async () => {
    const schema = await describeSchema(migrated.pool);
    if (process.env.UPDATE_SCHEMA === '1') await writeFile(SCHEMA, schema);
    expect(schema).toBe(await readFile(SCHEMA, 'utf8'));
  });
});
