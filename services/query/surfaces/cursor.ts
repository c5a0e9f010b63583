import { createHmac, timingSafeEqual } from 'node:crypto';

/** The position of a row in the order of its surface and cluster. */
export interface RowPosition {
  readonly orderKey: string;
  readonly key: string;
}

/** The surface and cluster that a cursor is valid for. */
export interface CursorScope {
  readonly surface: string;
  readonly cluster: string;
}

const VERSION = Buffer.from([1]);
const MAC_BYTES = 16;
/** No order key or key contains NUL, because PostgreSQL texts cannot. */
const SEPARATOR = '\0';

/** Writes a position as opaque text that cannot be forged without the secret. */
export function writeCursor(secret: Buffer, scope: CursorScope, { orderKey, key }: RowPosition): string {
  const position = Buffer.from(orderKey + SEPARATOR + key);
  return Buffer.concat([VERSION, macOf(secret, scope, position), position]).toString('base64url');
}

/** The position in a cursor; null if it was not written with this secret for this scope. */
export function readCursor(secret: Buffer, scope: CursorScope, text: string): RowPosition | null {
  const bytes = Buffer.from(text, 'base64url');
  // Decoding skips invalid characters, so check that the text is exactly what `writeCursor` gives.
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
