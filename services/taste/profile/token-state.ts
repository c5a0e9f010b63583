import type { Pool } from 'pg';
import type { TasteErrorCode } from '../http/errors.ts';

/** Whose token is used, and by whom. */
export interface Bearer {
  readonly digest: Buffer;
  /** Id of the consumer whose page asks; null where no page does. */
  readonly consumer: string | null;
}

/** Why a token was refused. */
export interface RefusedToken {
  readonly refusal: Extract<TasteErrorCode, `token_${string}`>;
  /** Whether it is a token, but of another consumer than the one whose page asks. */
  readonly isOthers: boolean;
}

const REFUSAL = `
  select consumer, revoked_at is not null as "isRevoked" from taste.token where digest = $1`;

/** Says why a token that is not active was refused. To every consumer but its own it is unknown. */
export async function refusalOf(pool: Pool, { digest, consumer }: Bearer): Promise<RefusedToken> {
  const { rows } = await pool.query<{ consumer: string; isRevoked: boolean }>({
    name: 'token-refusal',
    text: REFUSAL,
    values: [digest],
  });
  const [known] = rows;
  if (known === undefined) return { refusal: 'token_invalid', isOthers: false };
  if (consumer !== null && known.consumer !== consumer) return { refusal: 'token_invalid', isOthers: true };
  return { refusal: known.isRevoked ? 'token_revoked' : 'token_expired', isOthers: false };
}
