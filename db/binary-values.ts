/** Single values in PostgreSQL's binary format, for COPY. */

/** PostgreSQL counts time from here. */
export const POSTGRES_EPOCH_MS = Date.UTC(2000, 0, 1);

export function int2Bytes(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(2);
  bytes.writeInt16BE(value);
  return bytes;
}

export function int4Bytes(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeInt32BE(value);
  return bytes;
}

/** An instant in milliseconds since 1970. */
export function timestamptzBytes(ms: number): Buffer {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeBigInt64BE(BigInt(Math.round((ms - POSTGRES_EPOCH_MS) * 1000)));
  return bytes;
}
