import fc from 'fast-check';
import { expect, it } from 'vitest';
import { transaction } from '../../../db/transaction.ts';
import { withDatabase } from '../../../test/support/services/database.ts';
import type { SubjectRef } from '../rows.ts';
import { bucketOf, type DirtyKeys, markDirty } from './mark.ts';
import type { Version } from './version.ts';

const { pool } = withDatabase();

const version = (id: number) => ({ id, projection: 'artist', state: 'live' }) as Version;

/** Any id of a producer, without NUL, which database text cannot hold. */
const key = fc
  .string({ unit: 'binary', maxLength: 12 })
  .map((text): SubjectRef => `artist:${text.replaceAll('\0', '')}`);

const dirty: fc.Arbitrary<DirtyKeys> = fc.record({
  versions: fc.uniqueArray(fc.integer({ min: 1, max: 4 }), { minLength: 1 }).map((ids) => ids.map(version)),
  keys: fc.uniqueArray(key, { maxLength: 200 }).map((keys) => new Set(keys)),
});

interface MarkRow {
  readonly version: number;
  readonly bucket: number;
  readonly keys: SubjectRef[];
}

it('marks each key in each of its versions, in the bucket of the key', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(dirty, { maxLength: 3 }), async (marks) => {
      await pool.query('truncate projection.mark');
      await transaction(pool, (client) => markDirty(client, marks));
      const { rows } = await pool.query<MarkRow>('select version, bucket, keys from projection.mark');
      const expected = marks.flatMap(({ versions, keys }) =>
        versions.flatMap(({ id }) => [...keys].map((one) => `${id} ${bucketOf(one)} ${one}`)),
      );
      const found = rows.flatMap((row) => row.keys.map((one) => `${row.version} ${row.bucket} ${one}`));
      expect(found.sort()).toEqual(expected.sort());
    }),
    { numRuns: 60 },
  );
});

it('stores special words of arrays as plain text', async () => {
  const keys = new Set<SubjectRef>(['artist:NULL', 'artist:', 'artist:{a,b}', 'artist:"\\"', 'artist: a ']);
  await pool.query('truncate projection.mark');
  await transaction(pool, (client) => markDirty(client, [{ versions: [version(7)], keys }]));
  const { rows } = await pool.query<MarkRow>('select version, bucket, keys from projection.mark');
  expect(new Set(rows.flatMap((row) => row.keys))).toEqual(keys);
});
