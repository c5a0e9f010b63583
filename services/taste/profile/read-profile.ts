import type { Pool } from 'pg';
import { TOKEN_DAYS } from './exchange-code.ts';
import { type Bearer, type RefusedToken, refusalOf } from './token-state.ts';

/** What a token shows of its person. */
export interface ReadProfile {
  /** The consumer the token was issued to. */
  readonly consumer: string;
  /** The sources whose consent stands. */
  readonly services: readonly string[];
  /** In order, each once. */
  readonly clusters: readonly string[];
}

// The token is renewed by the very statement that reads: what is shown was read with a token that still held, however
// soon it is revoked. A source counts as long as the consent that this consumer has to it stands.
const READ = `
  with renewed as (
    update taste.token set used_at = now(), expires_at = now() + make_interval(days => $3)
    where digest = $1 and revoked_at is null and expires_at > now() and ($2::text is null or consumer = $2)
    returning person_id, consumer
  ), connected as (
    select account.id, account.service
    from renewed
      join taste.consent using (person_id, consumer)
      join taste.account using (person_id, service, username)
    where consent.withdrawn_at is null
  )
  select consumer,
    array(select distinct service from connected) as services,
    array(
      select distinct cluster_id collate "C" as id
      from connected join taste.match on match.account_id = connected.id
      order by id
    ) as clusters
  from renewed`;

/** Reads the profile that a token is for, and renews the token; or says why the token does not hold. */
export async function readProfile(pool: Pool, bearer: Bearer): Promise<ReadProfile | RefusedToken> {
  const { rows } = await pool.query<ReadProfile>({
    name: 'read-profile',
    text: READ,
    values: [bearer.digest, bearer.consumer, TOKEN_DAYS],
  });
  return rows[0] ?? refusalOf(pool, bearer);
}
