import type { Pool } from 'pg';
import { retryOnDeadlock } from '../retry-on-deadlock.ts';
import { digestOf, randomSecret, TOKEN_PREFIX } from './secrets.ts';

export const TOKEN_DAYS = 90;
/** The scopes of every token. */
export const SCOPES: readonly string[] = ['profile:read'];

/** An issued token. It appears only once, because only its digest is stored. */
export interface IssuedToken {
  readonly token: string;
  readonly expiresAt: Date;
  readonly person: string;
  readonly consumer: string;
}

// Of two concurrent exchanges, the second waits for the first and then finds the code used. Neither this nor the response
// distinguishes the reasons of a rejection. It locks the person before the code, like a withdrawal or an erasure of the
// person, so that the second of two sees the result of the first.
const EXCHANGE = `
  with holder as (
    update taste.person set exchanged_at = coalesce(exchanged_at, now())
    from taste.code
    where code.digest = $1 and person.id = person_id
      and claimed_at is null and expires_at > now() and ($3::text is null or consumer = $3)
    returning person.id
  ), claimed as (
    update taste.code set claimed_at = now()
    from holder
    where code.digest = $1 and person_id = holder.id
      and claimed_at is null and expires_at > now() and ($3::text is null or consumer = $3)
    returning person_id, consumer
  )
  insert into taste.token (digest, person_id, consumer, expires_at)
  select $2::bytea, person_id, consumer, now() + make_interval(days => $4) from claimed
  returning person_id as person, consumer, expires_at as "expiresAt"`;

/**
 * Exchanges a connect code for a token. Null if the code is unknown, expired, used, or of another consumer than the
 * requesting one; the code then stays unchanged.
 *
 * @param consumer id of the requesting page's consumer; null without a page
 */
export async function exchangeCode(
  pool: Pool,
  code: string,
  consumer: string | null,
): Promise<IssuedToken | null> {
  const token = randomSecret(TOKEN_PREFIX);
  const { rows } = await retryOnDeadlock(() =>
    pool.query<Omit<IssuedToken, 'token'>>({
      name: 'exchange-code',
      text: EXCHANGE,
      values: [digestOf(code), digestOf(token), consumer, TOKEN_DAYS],
    }),
  );
  const [issued] = rows;
  return issued === undefined ? null : { token, ...issued };
}
