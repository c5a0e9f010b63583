import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { ClientBase, Pool } from 'pg';

export type KeyEnvironment = 'live' | 'test';

/** A stored key, without its secret. */
export interface IssuedKey {
  readonly id: string;
  readonly environment: KeyEnvironment;
  readonly label: string;
  readonly tier: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  /** Time of last use, to the minute; null for never. */
  readonly lastUsedAt: Date | null;
  /** Id of the key that replaces it. */
  readonly replacedBy: string | null;
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BASE = ALPHABET.length;
const CHECKSUM_LENGTH = 6;
const ID_START = 'ln_live_'.length;
const ID_LENGTH = 10;
const SHAPE =
  /^(?<body>ln_(?<environment>live|test)_(?<id>[0-9A-Za-z]{10})[0-9A-Za-z]{32})(?<checksum>[0-9A-Za-z]{6})$/;

function randomText(length: number): string {
  // Bytes above the last whole multiple of the base would favour the first letters.
  const limit = 256 - (256 % BASE);
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < limit && text.length < length) text += ALPHABET[byte % BASE];
    }
  }
  return text;
}

function checksumOf(body: string): string {
  let rest = crc32(body);
  let text = '';
  for (let digit = 0; digit < CHECKSUM_LENGTH; digit++) {
    text = ALPHABET[rest % BASE] + text;
    rest = Math.floor(rest / BASE);
  }
  return text;
}

/** The parts of a key; null if it is malformed, mistyped or cut. Only the database knows whether it was issued. */
export function parseKey(text: string): { environment: KeyEnvironment; id: string } | null {
  const parts = SHAPE.exec(text)?.groups;
  if (parts?.body === undefined || parts.id === undefined) return null;
  if (checksumOf(parts.body) !== parts.checksum) return null;
  return { environment: parts.environment === 'live' ? 'live' : 'test', id: parts.id };
}

/** The id of a key, at its fixed position; meaningless if the text is not a key. */
export const keyIdIn = (text: string): string => text.slice(ID_START, ID_START + ID_LENGTH);

/** SHA-256, under which a key is kept and looked up. A secret of 190 random bits needs no slower hash. */
export const digestOf = (key: string): Buffer => hash('sha256', key, 'buffer');

/**
 * Issues a key, `ln_<environment>_` and then an id of 10, a secret of 32 and a checksum of 6 characters in base 62.
 * Only its digest is stored, so the key appears only in this result.
 */
export async function issueKey(
  pool: Pool | ClientBase,
  { environment, label, tier, expiresAt }: Pick<IssuedKey, 'environment' | 'label' | 'tier' | 'expiresAt'>,
): Promise<{ id: string; key: string }> {
  const id = randomText(ID_LENGTH);
  const body = `ln_${environment}_${id}${randomText(32)}`;
  const key = body + checksumOf(body);
  await pool.query(
    `insert into access.api_key (id, environment, digest, label, tier, expires_at) values ($1, $2, $3, $4, $5, $6)`,
    [id, environment, digestOf(key), label, tier, expiresAt],
  );
  return { id, key };
}

export interface Rotation {
  /** How long the old key stays valid, unless it expires before. */
  readonly graceMs: number;
  /** Life of the new key (default: that of the old key). */
  readonly lifetimeMs?: number | undefined;
}

interface RotatedKey {
  readonly id: string;
  readonly key: string;
  readonly expiresAt: Date | null;
  /** The end of the old key. */
  readonly oldExpiresAt: Date;
}

/**
 * Issues a key for the same owner, tier and environment as another, which stays valid for a while. Call it in a
 * transaction: the old key must not end without the new one.
 *
 * @throws Error if the key does not exist or is revoked, expired or already replaced
 */
export async function rotateKey(
  client: ClientBase,
  id: string,
  { graceMs, lifetimeMs }: Rotation,
): Promise<RotatedKey> {
  const { environment, label, tier, createdAt, expiresAt } = await rotatable(client, id);
  const lifetime = lifetimeMs ?? (expiresAt === null ? null : expiresAt.getTime() - createdAt.getTime());
  const newExpiresAt = lifetime === null ? null : new Date(Date.now() + lifetime);
  const issued = await issueKey(client, { environment, label, tier, expiresAt: newExpiresAt });
  const { rows } = await client.query<{ oldExpiresAt: Date }>(
    `update access.api_key
     set replaced_by = $2, expires_at = least(expires_at, now() + $3::float8 * interval '1 millisecond')
     where id = $1
     returning expires_at as "oldExpiresAt"`,
    [id, issued.id, graceMs],
  );
  const [old] = rows;
  if (old === undefined) throw new Error(`the key ${id} was deleted during its rotation`);
  return { ...issued, expiresAt: newExpiresAt, oldExpiresAt: old.oldExpiresAt };
}

async function rotatable(client: ClientBase, id: string): Promise<IssuedKey> {
  const { rows } = await client.query<IssuedKey & { isExpired: boolean | null }>(
    `select id, environment, label, tier, created_at as "createdAt", expires_at as "expiresAt", revoked_at as "revokedAt",
       last_used_at as "lastUsedAt", replaced_by as "replacedBy", expires_at <= now() as "isExpired"
     from access.api_key where id = $1 for update`,
    [id],
  );
  const [key] = rows;
  if (key === undefined) throw new Error(`there is no key with the id "${id}"`);
  if (key.revokedAt !== null) throw new Error(`the key ${id} is revoked; issue a new one`);
  if (key.isExpired) throw new Error(`the key ${id} has expired; issue a new one`);
  if (key.replacedBy !== null) throw new Error(`the key ${id} is already replaced by ${key.replacedBy}`);
  return key;
}

/** Every key ever issued, the oldest first. */
export async function listKeys(pool: Pool): Promise<IssuedKey[]> {
  const { rows } = await pool.query<IssuedKey>(
    `select id, environment, label, tier, created_at as "createdAt", expires_at as "expiresAt", revoked_at as "revokedAt",
       last_used_at as "lastUsedAt", replaced_by as "replacedBy"
     from access.api_key
     order by created_at, id`,
  );
  return rows;
}

/** Revokes a key. Returns the time of its first revocation; null if the key does not exist. */
export async function revokeKey(pool: Pool | ClientBase, id: string): Promise<Date | null> {
  const { rows } = await pool.query<{ revokedAt: Date }>(
    `update access.api_key set revoked_at = coalesce(revoked_at, now()) where id = $1 returning revoked_at as "revokedAt"`,
    [id],
  );
  return rows[0]?.revokedAt ?? null;
}
