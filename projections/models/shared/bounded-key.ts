import { hash } from 'node:crypto';

const MAX_PLAIN_BYTES = 250;

/** A lookup key for a text of any length: the text, or its hash if it is too long for an index entry. */
export const boundedKey = (kind: string, text: string): string =>
  Buffer.byteLength(text) <= MAX_PLAIN_BYTES
    ? `${kind}:${text}`
    : `${kind}#${hash('sha256', text, 'base64url')}`;
