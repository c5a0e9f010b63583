import { createHmac, timingSafeEqual } from 'node:crypto';
import { deriveKey } from '../profile/secrets.ts';

/** How long a form can be sent, once it was shown. */
export const FORM_MINUTES = 60;
const SHAPE = /^(?<expiry>\d{1,15})\.(?<mac>[\w-]{43})$/;

/** Proves that a form was shown by this service to the browser that sends it, for what it is sent for. */
export interface FormTokens {
  /** @param parts what the form is for: nothing of it has a line break */
  issue(nonce: string, parts: readonly string[]): string;
  /** @param nonce of the browser's cookie; undefined where it sent none */
  isValid(token: string, nonce: string | undefined, parts: readonly string[]): boolean;
}

/** @param now milliseconds since 1970 */
export function formTokens(secret: string, now: () => number): FormTokens {
  const key = deriveKey(secret, 'form v1');
  const macOf = (expiry: string, nonce: string, parts: readonly string[]): Buffer =>
    createHmac('sha256', key)
      .update([expiry, nonce, ...parts].join('\n'))
      .digest();

  return {
    issue(nonce, parts) {
      const expiry = String(now() + FORM_MINUTES * 60_000);
      return `${expiry}.${macOf(expiry, nonce, parts).toString('base64url')}`;
    },
    isValid(token, nonce, parts) {
      const { expiry, mac } = SHAPE.exec(token)?.groups ?? {};
      if (expiry === undefined || mac === undefined || nonce === undefined) return false;
      const isGenuine = timingSafeEqual(Buffer.from(mac, 'base64url'), macOf(expiry, nonce, parts));
      return isGenuine && Number(expiry) > now();
    },
  };
}
