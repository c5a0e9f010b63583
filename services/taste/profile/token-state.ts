import type { Pool, PoolClient } from 'pg';
import { transaction } from '../../../db/transaction.ts';
import { endAccess } from '../connect/accounts.ts';
import type { TasteErrorCode } from '../http/errors.ts';
import { retryOnDeadlock } from '../retry-on-deadlock.ts';

/** A token and its user. */
export interface Bearer {
  readonly digest: Buffer;
  /** Id of the requesting page's consumer; null without a page. */
  readonly consumer: string | null;
}

/** Why a token was rejected. */
export interface TokenRejection {
  readonly code: Extract<TasteErrorCode, `token_${string}`>;
  /** Whether the token is valid for another consumer than the requesting page's. */
  readonly belongsToOtherConsumer: boolean;
}

const READ_STATE = `
  select consumer, revoked_at is not null as "isRevoked" from taste.token where digest = $1`;

/** Why an inactive token was rejected. For every consumer but its own it is unknown. */
export async function tokenRejection(pool: Pool, { digest, consumer }: Bearer): Promise<TokenRejection> {
  const { rows } = await pool.query<{ consumer: string; isRevoked: boolean }>({
    name: 'token-state',
    text: READ_STATE,
    values: [digest],
  });
  const [known] = rows;
  if (known === undefined) return { code: 'token_invalid', belongsToOtherConsumer: false };
  if (consumer !== null && known.consumer !== consumer)
    return { code: 'token_invalid', belongsToOtherConsumer: true };
  return { code: known.isRevoked ? 'token_revoked' : 'token_expired', belongsToOtherConsumer: false };
}

// Locks the person first, as an exchange of a code does, so that the last of concurrent revocations finds no token left.
const LOCK = `
  select from taste.person where id = (select person_id from taste.token where digest = $1) for update`;

const REVOKE = `
  update taste.token set revoked_at = now()
  where digest = $1 and revoked_at is null and expires_at > now() and ($2::text is null or consumer = $2)
  returning person_id as person, consumer`;

/** Whether the consumer can still read the person: a valid token, or a code that it can exchange for one. */
const IS_READABLE = `
  select from taste.token
  where person_id = $1 and consumer = $2 and revoked_at is null and expires_at > now()
  union all
  select from taste.code where person_id = $1 and consumer = $2 and claimed_at is null and expires_at > now()
  limit 1`;

/**
 * Revokes a token. Without another token, the consumer's access ends: its consents, and what was imported for it alone.
 * Returns the token's consumer, or why the token was already invalid.
 */
export async function revokeToken(
  pool: Pool,
  bearer: Bearer,
): Promise<{ readonly consumer: string } | TokenRejection> {
  const consumer = await retryOnDeadlock(() => transaction(pool, (client) => revoke(client, bearer)));
  return consumer === null ? tokenRejection(pool, bearer) : { consumer };
}

async function revoke(client: PoolClient, { digest, consumer: asker }: Bearer): Promise<string | null> {
  await client.query({ name: 'lock-person-of-token', text: LOCK, values: [digest] });
  const { rows } = await client.query<{ person: string; consumer: string }>({
    name: 'revoke-token',
    text: REVOKE,
    values: [digest, asker],
  });
  const [revoked] = rows;
  if (revoked === undefined) return null;
  const { person, consumer } = revoked;
  const left = await client.query({ name: 'is-readable', text: IS_READABLE, values: [person, consumer] });
  if (left.rowCount === 0) await endAccess(client, person, consumer);
  return consumer;
}
