import type { ClientBase } from 'pg';
import { textArray } from '../../db/arrays.ts';

const OF_ACCOUNTS = 'account_id in (select id from taste.account where person_id = any($1::text[]::uuid[]))';
const OF_PERSONS = 'person_id = any($1::text[]::uuid[])';

/** Everything that names a person, what hangs on something else before that. */
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

/** Rows that were erased, by what they were. */
type Erased = Readonly<Record<(typeof DELETIONS)[number][0], number>>;

// In the order in which all others take them, first the person, also to exchange a code; so nobody waits for one who
// waits for him.
const HOLD_PERSONS = 'select from taste.person where id = any($1::text[]::uuid[]) order by id for update';
const HOLD_ACCOUNTS = `select from taste.account where ${OF_PERSONS} order by id for update`;

/**
 * Erases persons and all that is known of them, so that no row is left. An import that is under way finds its account gone
 * and ends without having written. Give it a transaction.
 *
 * @param persons by id
 */
export async function erasePersons(client: ClientBase, persons: readonly string[]): Promise<Erased> {
  const values = [textArray(persons)];
  await client.query({ name: 'hold-taste-persons', text: HOLD_PERSONS, values });
  await client.query({ name: 'hold-accounts-of-persons', text: HOLD_ACCOUNTS, values });
  const erased: Record<string, number> = {};
  for (const [what, text] of DELETIONS) {
    const { rowCount } = await client.query({ name: `erase-taste-${what}`, text, values });
    erased[what] = rowCount ?? 0;
  }
  return erased as Erased;
}
