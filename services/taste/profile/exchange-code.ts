import type { Pool } from 'pg';
import { outlastDeadlock } from '../outlast-deadlock.ts';
import { digestOf, randomSecret, TOKEN_PREFIX } from './secrets.ts';

export const TOKEN_DAYS = 90;

/** A token as it is given out: this once, since only its digest is kept. */
export interface IssuedToken {
  readonly token: string;
  readonly expiresAt: Date;
  readonly person: string;
  readonly consumer: string;
}

// Of two who claim a code at once, the second waits for the first, then finds it claimed. What refuses a code is not
// told apart, here no more than in the answer. The person is held before the code, as by who withdraws a consent or
// erases the person: whichever comes second finds what the other has done.
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
 * Exchanges a connect code for a token. Null where the code is unknown, expired or claimed, or of another consumer than
 * the one who asks, who leaves it as it was.
 *
 * @param consumer id of the consumer whose page asks; null where no page does
 */
export async function exchangeCode(
  pool: Pool,
  code: string,
  consumer: string | null,
): Promise<IssuedToken | null> {
  const token = randomSecret(TOKEN_PREFIX);
  const { rows } = await outlastDeadlock(() =>
    pool.query<Omit<IssuedToken, 'token'>>({
      name: 'exchange-code',
      text: EXCHANGE,
      values: [digestOf(code), digestOf(token), consumer, TOKEN_DAYS],
    }),
  );
  const [issued] = rows;
  return issued === undefined ? null : { token, ...issued };
}
