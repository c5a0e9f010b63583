import type { PoolClient } from 'pg';
import { HAS_CONSENT } from '../../../projections/models/taste/conditions.ts';

const DELETE = `delete from taste.account where person_id = $1 and not ${HAS_CONSENT}`;

/** Deletes a person's imported accounts that have no consent any more. */
export async function deleteUnconsentedAccounts(client: PoolClient, person: string): Promise<void> {
  await client.query({ name: 'delete-unconsented-accounts', text: DELETE, values: [person] });
}

const LOCK = 'select from taste.account where person_id = $1 order by id for update';

/** Locks all accounts of a person in the order in which imports lock them, so that the two never deadlock. */
export async function lockAccounts(client: PoolClient, person: string): Promise<void> {
  await client.query({ name: 'lock-accounts', text: LOCK, values: [person] });
}

// An unclaimed code would reopen what ends here.
const REVOKE = `
  with codes as (
    update taste.code set claimed_at = now() where person_id = $1 and consumer = $2 and claimed_at is null
  )
  update taste.token set revoked_at = now() where person_id = $1 and consumer = $2 and revoked_at is null`;

/** Revokes a consumer's tokens of a person, and the codes it could still exchange. */
export async function revokeTokens(client: PoolClient, person: string, consumer: string): Promise<void> {
  await client.query({ name: 'revoke-tokens', text: REVOKE, values: [person, consumer] });
}

const END_CONSENTS = `
  update taste.consent set withdrawn_at = now() where person_id = $1 and consumer = $2 and withdrawn_at is null`;

/** Ends all access of a consumer to a person, and deletes what was imported for it alone. The person is locked. */
export async function endAccess(client: PoolClient, person: string, consumer: string): Promise<void> {
  await revokeTokens(client, person, consumer);
  await client.query({ name: 'end-consents', text: END_CONSENTS, values: [person, consumer] });
  await lockAccounts(client, person);
  await deleteUnconsentedAccounts(client, person);
}
