import type { Pool, PoolClient } from 'pg';
import { transaction } from '../../../db/transaction.ts';
import { outlastDeadlock } from '../outlast-deadlock.ts';
import { digestOf } from '../profile/secrets.ts';
import { dropUnwanted, holdAccounts } from './accounts.ts';

// Before anything that hangs on the person: a code that is exchanged meanwhile waits, and finds itself claimed.
const HOLD = 'select from taste.person where digest = $1 for update';

const WITHDRAW = `
  update taste.consent set withdrawn_at = now()
  from taste.person
  where receipt = $2 and person.digest = $1 and consent.person_id = person.id and withdrawn_at is null
  returning person_id as person, consumer, service`;

// A code that is not claimed yet would open anew what is closed here.
const END_ACCESS = `
  with ended as (
    select $1::uuid as person_id, $2::text as consumer
    where not exists (
      select from taste.consent where person_id = $1 and consumer = $2 and withdrawn_at is null
    )
  ), codes as (
    update taste.code set claimed_at = now()
    from ended
    where code.person_id = ended.person_id and code.consumer = ended.consumer and claimed_at is null
  )
  update taste.token set revoked_at = now()
  from ended
  where token.person_id = ended.person_id and token.consumer = ended.consumer and revoked_at is null`;

/** What a consent was given for. */
export interface WithdrawnConsent {
  readonly consumer: string;
  readonly service: string;
}

/**
 * Withdraws the consent with this receipt, if it is the person's; null where it is not, or stands no more. What was
 * imported for it alone is dropped, and with the last consent to a consumer its tokens end.
 */
export function withdrawConsent(
  pool: Pool,
  personSecret: string,
  receipt: string,
): Promise<WithdrawnConsent | null> {
  const digest = digestOf(personSecret);
  return outlastDeadlock(() => transaction(pool, (client) => withdraw(client, digest, receipt)));
}

async function withdraw(
  client: PoolClient,
  digest: Buffer,
  receipt: string,
): Promise<WithdrawnConsent | null> {
  await client.query({ name: 'hold-person', text: HOLD, values: [digest] });
  const { rows } = await client.query<WithdrawnConsent & { person: string }>({
    name: 'withdraw-consent',
    text: WITHDRAW,
    values: [digest, receipt],
  });
  const [withdrawn] = rows;
  if (withdrawn === undefined) return null;
  const { person, consumer, service } = withdrawn;
  await client.query({ name: 'end-access', text: END_ACCESS, values: [person, consumer] });
  await holdAccounts(client, person);
  await dropUnwanted(client, person);
  return { consumer, service };
}
