import { createHmac, timingSafeEqual } from 'node:crypto';

/** Where a row stands in the order of its surface and cluster. */
export interface Position {
  readonly orderKey: string;
  readonly key: string;
}

/** What a cursor may be used on. */
export interface CursorScope {
  readonly surface: string;
  readonly cluster: string;
}

const VERSION = Buffer.from([1]);
const MAC_BYTES = 16;
/** Neither an order key nor a key can hold it, since PostgreSQL cannot. */
const SEPARATOR = '\0';

/** A position as text that says nothing to clients and that nobody without the secret can make. */
export function writeCursor(secret: Buffer, scope: CursorScope, { orderKey, key }: Position): string {
  const position = Buffer.from(orderKey + SEPARATOR + key);
  return Buffer.concat([VERSION, macOf(secret, scope, position), position]).toString('base64url');
}

/** The position that a cursor stands for; null where it was not written with this secret for this scope. */
export function readCursor(secret: Buffer, scope: CursorScope, text: string): Position | null {
  const bytes = Buffer.from(text, 'base64url');
  // Decoding passes over what is not base64url, and so would accept texts that were never written.
  if (bytes.toString('base64url') !== text || bytes[0] !== VERSION[0]) return null;
  const mac = bytes.subarray(VERSION.length, VERSION.length + MAC_BYTES);
  const position = bytes.subarray(VERSION.length + MAC_BYTES);
  if (mac.length !== MAC_BYTES || !timingSafeEqual(mac, macOf(secret, scope, position))) return null;
  const [orderKey = '', key = ''] = position.toString().split(SEPARATOR);
  return { orderKey, key };
}

function macOf(secret: Buffer, { surface, cluster }: CursorScope, position: Buffer): Buffer {
  return createHmac('sha256', secret)
    .update(`${surface}${SEPARATOR}${cluster}${SEPARATOR}`)
    .update(position)
    .digest()
    .subarray(0, MAC_BYTES);
}
