import type { Pool } from 'pg';
import { TOKEN_DAYS } from './exchange-code.ts';
import { type Bearer, type TokenRejection, tokenRejection } from './token-state.ts';

/** The data of a person that a token shows. */
export interface ProfileRow {
  /** The consumer the token was issued to. */
  readonly consumer: string;
  /** The sources with an active consent. */
  readonly services: readonly string[];
  /** In order, each once. */
  readonly clusters: readonly string[];
}

// One statement reads the profile and renews the token, so that the read is valid even if the token is revoked just
// after. A source counts while this consumer has a consent to it.
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

/** Reads the profile of a token and renews the token, or returns why the token is invalid. */
export async function readProfile(pool: Pool, bearer: Bearer): Promise<ProfileRow | TokenRejection> {
  const { rows } = await pool.query<ProfileRow>({
    name: 'read-profile',
    text: READ,
    values: [bearer.digest, bearer.consumer, TOKEN_DAYS],
  });
  return rows[0] ?? tokenRejection(pool, bearer);
}
