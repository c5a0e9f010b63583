import type { Pool, PoolClient } from 'pg';
import { transaction } from '../../../db/transaction.ts';
import type { Service } from '../contract/contract.ts';
import { outlastDeadlock } from '../outlast-deadlock.ts';
import { digestOf, RECEIPT_PREFIX, randomSecret } from '../profile/secrets.ts';
import { dropUnwanted, holdAccounts } from './accounts.ts';

/** How long a connect code can be exchanged. */
export const CODE_SECONDS = 60;

/** A consent as it was given on the connect page. */
export interface GivenConsent {
  /** The secret of the browser's cookie; null for somebody new. */
  readonly personSecret: string | null;
  /** Id of the consumer. */
  readonly consumer: string;
  readonly service: Service;
  readonly username: string;
  /** The version of the contract. */
  readonly contract: string;
}

export interface RecordedConsent {
  readonly receipt: string;
  /** The single-use code for the consumer. */
  readonly code: string;
  /** What tells the person from now on. */
  readonly personSecret: string;
}

/**
 * Writes down a consent with its receipt, then has the source imported, then mints a code: all of it, or nothing.
 * An earlier consent of the person to the same consumer and service has ended with it.
 */
export const recordConsent = (pool: Pool, given: GivenConsent): Promise<RecordedConsent> =>
  outlastDeadlock(() => transaction(pool, (client) => record(client, given)));

async function record(client: PoolClient, given: GivenConsent): Promise<RecordedConsent> {
  const { person, personSecret } = await holdPerson(client, given.personSecret);
  await holdAccounts(client, person);
  const receipt = randomSecret(RECEIPT_PREFIX);
  await client.query({ name: 'end-consent', text: END, values: [person, given.consumer, given.service] });
  await client.query({
    name: 'grant-consent',
    text: GRANT,
    values: [receipt, person, given.consumer, given.service, given.username, given.contract],
  });
  await dropUnwanted(client, person);
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

// Whoever sends two forms at once has them taken one after the other.
const SEE = 'update taste.person set seen_at = now() where digest = $1 returning id';
const MEET = 'insert into taste.person (digest) values ($1) returning id';

async function holdPerson(
  client: PoolClient,
  known: string | null,
): Promise<{ person: string; personSecret: string }> {
  if (known !== null) {
    const { rows } = await client.query<{ id: string }>({
      name: 'see-person',
      text: SEE,
      values: [digestOf(known)],
    });
    if (rows[0] !== undefined) return { person: rows[0].id, personSecret: known };
  }
  // A cookie of nobody is not taken over: whoever set it would know it.
  const personSecret = randomSecret();
  const { rows } = await client.query<{ id: string }>({
    name: 'meet-person',
    text: MEET,
    values: [digestOf(personSecret)],
  });
  const [met] = rows;
  if (met === undefined) throw new Error('a person was not written down');
  return { person: met.id, personSecret };
}

const END = `
  update taste.consent set withdrawn_at = now()
  where person_id = $1 and consumer = $2 and service = $3 and withdrawn_at is null`;

const GRANT = `
  insert into taste.consent (receipt, person_id, consumer, service, username, contract)
  values ($1, $2, $3, $4, $5, $6)`;

// The row is the request: whoever imports looks for it, and hears of it by a trigger.
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
