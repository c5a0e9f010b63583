import { timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { digestOf, type KeyEnvironment, keyIdIn, parseKey } from './keys.ts';

/** A valid key. */
export interface AccessKey {
  readonly id: string;
  readonly environment: KeyEnvironment;
  readonly tier: string;
  /** When the key expires; null for never. */
  readonly expiresAt: Date | null;
}

export interface KeyVerifier {
  /** Result without a query: the key, null if invalid, undefined if only `verify` can decide. */
  known(text: string): AccessKey | null | undefined;
  /** The id of a key that was valid when it was last read, at most 15 minutes ago; null for any other text. */
  recognize(text: string): string | null;
  /** The key; null if malformed, unknown, revoked or expired. */
  verify(text: string): Promise<AccessKey | null>;
}

interface StoredKey extends AccessKey {
  readonly digest: Buffer;
  /** When it was read, by the clock of the verifier. */
  readAt: number;
  /** The key itself, after its first verification. */
  key?: Buffer;
}

/** A revocation takes effect within 5 seconds, including the time of the query. */
const KEPT_MS = 4_000;
/**
 * How long a key stays valid while the database cannot confirm it, so that reads respond during an outage. During most
 * outages keys cannot be revoked either.
 */
const UNCONFIRMED_MS = 15 * 60_000;
/** A confirmation that takes longer does not delay its request. */
const CONFIRMED_WITHIN_MS = 500;
const MAX_KEPT = 10_000;

const BY_ID = `
  select id, environment, tier, digest, expires_at as "expiresAt" from access.api_key where id = $1 and revoked_at is null`;

/** Verifies keys by the digests in `pool` and caches results for a few seconds. */
export function keyVerifier(pool: Pool, now: () => number): KeyVerifier {
  // Separate caches, so that made-up ids do not evict keys in use.
  // An entry is stale once it is older than its ttl.
  const limits = { max: MAX_KEPT, ttlResolution: 0, perf: { now } };
  const valid = new LRUCache<string, StoredKey>({ ...limits, ttl: UNCONFIRMED_MS - 1 });
  const invalid = new LRUCache<string, true>({ ...limits, ttl: KEPT_MS - 1 });
  const isConfirmed = ({ readAt }: StoredKey): boolean => now() - readAt < KEPT_MS;
  const reads = new Map<string, Promise<StoredKey | null>>();

  async function read(id: string): Promise<StoredKey | null> {
    const readAt = now();
    const { rows } = await pool.query<StoredKey>({
      name: 'api-key',
      text: BY_ID,
      values: [id],
    });
    const [stored = null] = rows;
    if (stored === null) {
      valid.delete(id);
      invalid.set(id, true, { start: readAt });
      return null;
    }
    stored.readAt = readAt;
    valid.set(id, stored, { start: readAt });
    return stored;
  }

  /** Concurrent requests with one id share a query. */
  function readOnce(id: string): Promise<StoredKey | null> {
    let reading = reads.get(id);
    if (reading === undefined) {
      reading = read(id).finally(() => reads.delete(id));
      reads.set(id, reading);
    }
    return reading;
  }

  /** Reads a key, or keeps to its last state while the database does not confirm it. */
  function confirm(id: string): Promise<StoredKey | null> {
    const last = valid.get(id);
    if (last === undefined) return readOnce(id);
    const { promise: unconfirmed, resolve } = Promise.withResolvers<StoredKey>();
    const timer = setTimeout(() => resolve(last), CONFIRMED_WITHIN_MS);
    const confirmed = readOnce(id)
      .catch(() => last)
      .finally(() => clearTimeout(timer));
    return Promise.race([confirmed, unconfirmed]);
  }

  const opened = (text: string, stored: StoredKey | null): AccessKey | null => {
    return stored !== null && isKeyOf(text, stored) ? unexpired(stored) : null;
  };
  const unexpired = (stored: StoredKey): AccessKey | null =>
    stored.expiresAt === null || stored.expiresAt.getTime() > now() ? stored : null;

  return {
    known(text) {
      // A recently verified key needs no parsing.
      const recent = valid.get(keyIdIn(text));
      if (recent !== undefined && isConfirmed(recent) && wasVerified(text, recent)) return unexpired(recent);
      const id = parseKey(text)?.id;
      if (id === undefined) return null;
      const stored = valid.get(id);
      if (stored !== undefined && isConfirmed(stored)) return opened(text, stored);
      return invalid.has(id) ? null : undefined;
    },
    recognize(text) {
      const last = valid.get(keyIdIn(text));
      return last !== undefined && wasVerified(text, last) ? last.id : null;
    },
    async verify(text) {
      const id = parseKey(text)?.id;
      return id === undefined ? null : opened(text, await confirm(id));
    },
  };
}

/** Whether the text is the stored key. Keeps a verified key, so that the next request needs no hash. */
function isKeyOf(text: string, stored: StoredKey): boolean {
  if (wasVerified(text, stored)) return true;
  if (!timingSafeEqual(stored.digest, digestOf(text))) return false;
  stored.key = Buffer.from(text);
  return true;
}

function wasVerified(text: string, { key }: StoredKey): boolean {
  if (key === undefined) return false;
  const bytes = Buffer.from(text);
  return key.length === bytes.length && timingSafeEqual(key, bytes);
}
