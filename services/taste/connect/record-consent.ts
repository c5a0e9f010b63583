import type { Pool, PoolClient } from 'pg';
import { notify } from '../../../db/notify.ts';
import { transaction } from '../../../db/transaction.ts';
import { IMPORT_CHANNEL } from '../../../projections/models/taste/imports.ts';
import type { ConsentService } from '../contract/contract.ts';
import { digestOf, RECEIPT_PREFIX, randomSecret } from '../profile/secrets.ts';
import { retryOnDeadlock } from '../retry-on-deadlock.ts';
import { deleteUnconsentedAccounts, endAccess, lockAccounts, revokeTokens } from './accounts.ts';
import { type ShownForm, useForm } from './form-token.ts';

/** How long a connect code can be exchanged. */
export const CODE_SECONDS = 60;

/** A consent as it was given on the connect page. */
export interface ConsentRequest {
  readonly form: ShownForm;
  /** The secret of the browser's cookie; null without one. */
  readonly personSecret: string | null;
  /** Whether the user is not the person of the cookie. */
  readonly isSomebodyElse: boolean;
  /** Id of the consumer. */
  readonly consumer: string;
  readonly service: ConsentService;
  readonly username: string;
  /** The version of the contract. */
  readonly contract: string;
}

export interface RecordedConsent {
  readonly receipt: string;
  /** The single-use code for the consumer. */
  readonly code: string;
  /** The secret that identifies the person from now on. */
  readonly personSecret: string;
}

/**
 * Records a consent with its receipt, queues the import of the source and mints a code, in one transaction. Ends an earlier
 * consent of the person to the same consumer and service. Tokens never outlive the account that they were issued for: those of
 * another username end, and so does the consumer's access to the person before somebody else.
 *
 * @returns null if the form was sent before
 */
export async function recordConsent(pool: Pool, given: ConsentRequest): Promise<RecordedConsent | null> {
  const recorded = await retryOnDeadlock(() => transaction(pool, (client) => record(client, given)));
  if (recorded !== null) void notify(pool, IMPORT_CHANNEL);
  return recorded;
}

async function record(client: PoolClient, given: ConsentRequest): Promise<RecordedConsent | null> {
  if (!(await useForm(client, given.form))) return null;
  const { person, personSecret } = await lockPerson(client, given);
  await lockAccounts(client, person);
  const receipt = randomSecret(RECEIPT_PREFIX);
  const ended = await client.query<{ username: string }>({
    name: 'end-consent',
    text: END,
    values: [person, given.consumer, given.service],
  });
  if (ended.rows.some(({ username }) => username !== given.username))
    await revokeTokens(client, person, given.consumer);
  await client.query({
    name: 'grant-consent',
    text: GRANT,
    values: [receipt, person, given.consumer, given.service, given.username, given.contract],
  });
  await deleteUnconsentedAccounts(client, person);
  await client.query({
    name: 'queue-import',
    text: QUEUE,
    values: [person, given.service, given.username],
  });
  const code = randomSecret();
  await client.query({
    name: 'mint-code',
    text: MINT,
    values: [digestOf(code), person, given.consumer, given.service, CODE_SECONDS],
  });
  return { receipt, code, personSecret };
}

// Serialises two concurrent forms of one person.
const RECORD_VISIT = 'update taste.person set seen_at = now() where digest = $1 returning id';
const INSERT_PERSON = 'insert into taste.person (digest) values ($1) returning id';

async function lockPerson(
  client: PoolClient,
  { personSecret: known, isSomebodyElse, consumer }: ConsentRequest,
): Promise<{ person: string; personSecret: string }> {
  if (known !== null) {
    const { rows } = await client.query<{ id: string }>({
      name: 'record-visit',
      text: RECORD_VISIT,
      values: [digestOf(known)],
    });
    const person = rows[0]?.id;
    if (person !== undefined && !isSomebodyElse) return { person, personSecret: known };
    if (person !== undefined) await endAccess(client, person, consumer);
  }
  // An unknown cookie is not adopted, because an attacker may have planted it.
  const personSecret = randomSecret();
  const { rows } = await client.query<{ id: string }>({
    name: 'insert-person',
    text: INSERT_PERSON,
    values: [digestOf(personSecret)],
  });
  const [inserted] = rows;
  if (inserted === undefined) throw new Error('the insert of a person returned no row');
  return { person: inserted.id, personSecret };
}

const END = `
  update taste.consent set withdrawn_at = now()
  where person_id = $1 and consumer = $2 and service = $3 and withdrawn_at is null
  returning username`;

const GRANT = `
  insert into taste.consent (receipt, person_id, consumer, service, username, contract)
  values ($1, $2, $3, $4, $5, $6)`;

// The row is the request: job workers look for it every minute, and a notification after the commit wakes them earlier.
const QUEUE = `
  with connected as (
    insert into taste.account (person_id, service, username) values ($1, $2, $3)
    on conflict (person_id, service, username) do update set connected_at = now()
    returning id
  )
  insert into taste.import (account_id) select id from connected
  on conflict (account_id) where state in ('queued', 'running') do nothing`;

const MINT = `
  insert into taste.code (digest, person_id, consumer, service, expires_at)
  values ($1, $2, $3, $4, now() + make_interval(secs => $5))`;
