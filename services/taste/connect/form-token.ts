import { createHmac, timingSafeEqual } from 'node:crypto';
import type { PoolClient } from 'pg';
import { deriveKey, randomSecret } from '../profile/secrets.ts';

/** How long a form is valid after it was shown. */
export const FORM_MINUTES = 60;
const SHAPE = /^(?<head>(?<expiry>\d{1,15})\.[\w-]{43})\.(?<mac>[\w-]{43})$/;

/** A form that this service showed. */
export interface ShownForm {
  /** Identifies it. */
  readonly mac: Buffer;
  readonly expiresAt: Date;
}

/** Proves that this service showed a form to the same browser for the same purpose. */
export interface FormTokens {
  /** @param parts the purpose of the form; none has a line break */
  issue(nonce: string, parts: readonly string[]): string;
  /**
   * The form of a token; null if the token is forged or expired, or of another browser or purpose.
   *
   * @param nonce of the browser's cookie; undefined if it sent none
   */
  verify(token: string, nonce: string | undefined, parts: readonly string[]): ShownForm | null;
}

/** @param now milliseconds since 1970 */
export function formTokens(secret: string, now: () => number): FormTokens {
  const key = deriveKey(secret, 'form v1');
  const macOf = (head: string, nonce: string, parts: readonly string[]): Buffer =>
    createHmac('sha256', key)
      .update([head, nonce, ...parts].join('\n'))
      .digest();

  return {
    issue(nonce, parts) {
      const head = `${now() + FORM_MINUTES * 60_000}.${randomSecret()}`;
      return `${head}.${macOf(head, nonce, parts).toString('base64url')}`;
    },
    verify(token, nonce, parts) {
      const { head, expiry, mac: given } = SHAPE.exec(token)?.groups ?? {};
      if (head === undefined || given === undefined || nonce === undefined) return null;
      const mac = macOf(head, nonce, parts);
      if (!timingSafeEqual(Buffer.from(given, 'base64url'), mac) || Number(expiry) <= now()) return null;
      return { mac, expiresAt: new Date(Number(expiry)) };
    },
  };
}

// Of two concurrent posts, the second waits for the first and then finds the form used.
const USE = 'insert into taste.form (mac, expires_at) values ($1, $2) on conflict do nothing';

/** Uses a form up with the transaction. Returns false if it was used before. */
export async function useForm(client: PoolClient, { mac, expiresAt }: ShownForm): Promise<boolean> {
  const { rowCount } = await client.query({ name: 'use-form', text: USE, values: [mac, expiresAt] });
  return rowCount === 1;
}
