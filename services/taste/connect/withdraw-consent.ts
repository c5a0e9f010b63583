import type { Pool, PoolClient } from 'pg';
import { transaction } from '../../../db/transaction.ts';
import { digestOf, RECEIPT_PREFIX, randomSecret } from '../profile/secrets.ts';
import { retryOnDeadlock } from '../retry-on-deadlock.ts';
import { deleteUnconsentedAccounts, lockAccounts, revokeTokens } from './accounts.ts';
import { type ShownForm, useForm } from './form-token.ts';

// Locks the person before its other rows: a concurrent exchange of a code waits, and then finds the code used.
const LOCK = 'select from taste.person where digest = $1 for update';

const WITHDRAW = `
  update taste.consent set withdrawn_at = now(), withdrawal_receipt = $3
  from taste.person
  where receipt = $2 and person.digest = $1 and consent.person_id = person.id and withdrawn_at is null
  returning person_id as person, consumer, service`;

const HAS_OTHER_CONSENT = `
  select from taste.consent where person_id = $1 and consumer = $2 and withdrawn_at is null limit 1`;

/** The subject of a consent. */
export interface WithdrawnConsent {
  readonly consumer: string;
  readonly service: string;
}

interface WithdrawalRequest {
  readonly personSecret: string;
  /** Of the consent. */
  readonly receipt: string;
  readonly form: ShownForm;
}

/**
 * Withdraws a consent, with a receipt of the withdrawal. Deletes the accounts imported for it alone, and revokes the
 * consumer's tokens with the last consent to it.
 *
 * @returns null if the consent is not the person's, or has ended; `used` if the form was sent before
 */
export const withdrawConsent = (
  pool: Pool,
  request: WithdrawalRequest,
): Promise<WithdrawnConsent | null | 'used'> =>
  retryOnDeadlock(() => transaction(pool, (client) => withdraw(client, request)));

async function withdraw(
  client: PoolClient,
  { personSecret, receipt, form }: WithdrawalRequest,
): Promise<WithdrawnConsent | null | 'used'> {
  if (!(await useForm(client, form))) return 'used';
  const digest = digestOf(personSecret);
  await client.query({ name: 'lock-person', text: LOCK, values: [digest] });
  const { rows } = await client.query<WithdrawnConsent & { person: string }>({
    name: 'withdraw-consent',
    text: WITHDRAW,
    values: [digest, receipt, randomSecret(RECEIPT_PREFIX)],
  });
  const [withdrawn] = rows;
  if (withdrawn === undefined) return null;
  const { person, consumer, service } = withdrawn;
  const others = await client.query({
    name: 'other-consent',
    text: HAS_OTHER_CONSENT,
    values: [person, consumer],
  });
  if (others.rowCount === 0) await revokeTokens(client, person, consumer);
  await lockAccounts(client, person);
  await deleteUnconsentedAccounts(client, person);
  return { consumer, service };
}
