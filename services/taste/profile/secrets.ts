import { hash, hkdfSync, randomBytes } from 'node:crypto';

const SECRET_BYTES = 32;

export const TOKEN_PREFIX = 'profile_v1_';
export const RECEIPT_PREFIX = 'rcpt_v1_';

/** A text of 256 random bits that nobody guesses, fit for addresses, cookies and headers as it is. */
export const randomSecret = (prefix = ''): string => prefix + randomBytes(SECRET_BYTES).toString('base64url');

/** SHA-256, under which a secret is kept and looked up. One of 256 random bits needs no slower hash. */
export const digestOf = (secret: string): Buffer => hash('sha256', secret, 'buffer');

/** A key for one purpose, so that what one is used for says nothing of another. */
export const deriveKey = (secret: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', `linernotes taste ${purpose}`, SECRET_BYTES));
