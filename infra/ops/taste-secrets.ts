import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { keptDataSets, linernotesHome } from '../embedded/home.ts';

/**
 * The secrets that subjects may be named by: `TASTE_SECRET`, else, where no other database is meant, those that each
 * `npm start` keeps beside its own.
 *
 * @throws where there is none
 */
export async function tasteSecrets(): Promise<string[]> {
  const { TASTE_SECRET, DATABASE_URL } = process.env;
  if (TASTE_SECRET) return [TASTE_SECRET];
  const files = DATABASE_URL
    ? []
    : keptDataSets().map((name) => join(linernotesHome(), name, 'taste-secret'));
  const kept = files.filter((file) => existsSync(file));
  if (kept.length === 0)
    throw new Error('set TASTE_SECRET to what the taste service has, to trace a sub_v1_ to its person');
  return Promise.all(kept.map(async (file) => (await readFile(file, 'utf8')).trim()));
}
