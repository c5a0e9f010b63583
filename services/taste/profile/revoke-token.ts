import type { Pool } from 'pg';
import { type Bearer, type RefusedToken, refusalOf } from './token-state.ts';

const REVOKE = `
  update taste.token set revoked_at = now()
  where digest = $1 and revoked_at is null and expires_at > now() and ($2::text is null or consumer = $2)
  returning consumer`;

/** Ends a token for good. Answers the consumer it was issued to, or why the token did not hold any more. */
export async function revokeToken(
  pool: Pool,
  bearer: Bearer,
): Promise<{ readonly consumer: string } | RefusedToken> {
  const { rows } = await pool.query<{ consumer: string }>({
    name: 'revoke-token',
    text: REVOKE,
    values: [bearer.digest, bearer.consumer],
  });
  return rows[0] ?? refusalOf(pool, bearer);
}
