import type { PoolClient } from 'pg';
import { HAS_CONSENT } from '../../../projections/taste/conditions.ts';

const DROP = `delete from taste.account where person_id = $1 and not ${HAS_CONSENT}`;

/** Drops what was imported from accounts of a person that no consent stands for any more. */
export async function dropUnwanted(client: PoolClient, person: string): Promise<void> {
  await client.query({ name: 'drop-unwanted-accounts', text: DROP, values: [person] });
}

const HOLD = 'select from taste.account where person_id = $1 order by id for update';

/** Holds all accounts of a person, in the order in which imports hold them, so that neither waits for the other for ever. */
export async function holdAccounts(client: PoolClient, person: string): Promise<void> {
  await client.query({ name: 'hold-accounts', text: HOLD, values: [person] });
}
