import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { ClientBase, Pool } from 'pg';

export type KeyEnvironment = 'live' | 'test';

/** A key as it is kept: all but the key itself. */
export interface IssuedKey {
  readonly id: string;
  readonly environment: KeyEnvironment;
  readonly label: string;
  readonly tier: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  /** When it last opened the service, to the minute; null for never. */
  readonly lastUsedAt: Date | null;
  /** Id of the key that takes its place. */
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

/** What a key says of itself; null when it is none, mistyped or cut. Whether it was issued only the database knows. */
export function parseKey(text: string): { environment: KeyEnvironment; id: string } | null {
  const parts = SHAPE.exec(text)?.groups;
  if (parts?.body === undefined || parts.id === undefined) return null;
  if (checksumOf(parts.body) !== parts.checksum) return null;
  return { environment: parts.environment === 'live' ? 'live' : 'test', id: parts.id };
}

/** The id, if the text is a key at all: it stands at one place in all of them. */
export const keyIdIn = (text: string): string => text.slice(ID_START, ID_START + ID_LENGTH);

/** SHA-256, under which a key is kept and looked up. A secret of 190 random bits needs no slower hash. */
export const digestOf = (key: string): Buffer => hash('sha256', key, 'buffer');

/**
 * Issues a key, `ln_<environment>_` and then an id of 10, a secret of 32 and a checksum of 6 characters in base 62.
 * Only its digest is kept: the answer is the one chance to read it.
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
  /** How long the old key goes on to work, unless it expires before. */
  readonly graceMs: number;
  /** How long the new key will work; where it is not said, as long as the old one was issued for. */
  readonly lifetimeMs?: number | undefined;
}

interface RotatedKey {
  readonly id: string;
  readonly key: string;
  readonly expiresAt: Date | null;
  /** Until when the old key works. */
  readonly oldExpiresAt: Date;
}

/**
 * Issues a key for the same owner, tier and environment as another, which goes on to work for a while. Give it a
 * transaction: the old key must not end without the new one.
 *
 * @throws Error where there is no such key, or it is revoked, expired or replaced already
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
  if (old === undefined) throw new Error(`the key ${id} went away while it was rotated`);
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
  if (key.replacedBy !== null) throw new Error(`the key ${id} is replaced by ${key.replacedBy} already`);
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

/** Ends a key. Answers since when it is revoked, which a second time does not change; null when there is no such key. */
export async function revokeKey(pool: Pool | ClientBase, id: string): Promise<Date | null> {
  const { rows } = await pool.query<{ revokedAt: Date }>(
    `update access.api_key set revoked_at = coalesce(revoked_at, now()) where id = $1 returning revoked_at as "revokedAt"`,
    [id],
  );
  return rows[0]?.revokedAt ?? null;
}
