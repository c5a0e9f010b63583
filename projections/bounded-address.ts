import { hash } from 'node:crypto';

const MAX_PLAIN_BYTES = 250;

/** An address of a kind for a text of any length: the text itself, or its hash, so that it always fits an index. */
export const boundedAddress = (kind: string, text: string): string =>
  Buffer.byteLength(text) <= MAX_PLAIN_BYTES
    ? `${kind}:${text}`
    : `${kind}#${hash('sha256', text, 'base64url')}`;
