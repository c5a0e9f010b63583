import { hash, hkdfSync, randomBytes } from 'node:crypto';

const SECRET_BYTES = 32;

export const TOKEN_PREFIX = 'profile_v1_';
export const RECEIPT_PREFIX = 'rcpt_v1_';

/** A text of 256 random bits, fit for URLs, cookies and headers. */
export const randomSecret = (prefix = ''): string => prefix + randomBytes(SECRET_BYTES).toString('base64url');

/** SHA-256, under which a secret is stored and looked up. A secret of 256 random bits needs no slower hash. */
export const digestOf = (secret: string): Buffer => hash('sha256', secret, 'buffer');

/** Derives a key for one purpose, so that its use reveals nothing about another. */
export const deriveKey = (secret: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', `linernotes taste ${purpose}`, SECRET_BYTES));
