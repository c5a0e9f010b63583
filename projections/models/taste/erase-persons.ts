import type { ClientBase } from 'pg';
import { textArray } from '../../../db/arrays.ts';

const OF_ACCOUNTS = 'account_id in (select id from taste.account where person_id = any($1::text[]::uuid[]))';
const OF_PERSONS = 'person_id = any($1::text[]::uuid[])';

/** Deletes everything about a person, dependent rows first. */
const DELETIONS = [
  ['matches', `delete from taste.match where ${OF_ACCOUNTS}`],
  ['items', `delete from taste.item where ${OF_ACCOUNTS}`],
  ['imports', `delete from taste.import where ${OF_ACCOUNTS}`],
  ['accounts', `delete from taste.account where ${OF_PERSONS}`],
  ['consents', `delete from taste.consent where ${OF_PERSONS}`],
  ['codes', `delete from taste.code where ${OF_PERSONS}`],
  ['tokens', `delete from taste.token where ${OF_PERSONS}`],
  ['persons', 'delete from taste.person where id = any($1::text[]::uuid[])'],
] as const;

/** Deleted rows by kind. */
type ErasedCounts = Readonly<Record<(typeof DELETIONS)[number][0], number>>;

// All transactions lock in this order, the person first, so none deadlocks.
const LOCK_PERSONS = 'select from taste.person where id = any($1::text[]::uuid[]) order by id for update';
const LOCK_ACCOUNTS = `select from taste.account where ${OF_PERSONS} order by id for update`;

/**
 * Erases persons and all data about them. A running import finds its account gone and ends without writing. Run it in a
 * transaction.
 *
 * @param persons by id
 */
export async function erasePersons(client: ClientBase, persons: readonly string[]): Promise<ErasedCounts> {
  const values = [textArray(persons)];
  await client.query({ name: 'lock-taste-persons', text: LOCK_PERSONS, values });
  await client.query({ name: 'lock-accounts-of-persons', text: LOCK_ACCOUNTS, values });
  const erased: Record<string, number> = {};
  for (const [what, text] of DELETIONS) {
    const { rowCount } = await client.query({ name: `erase-taste-${what}`, text, values });
    erased[what] = rowCount ?? 0;
  }
  return erased as ErasedCounts;
}
