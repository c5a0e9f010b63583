import { timingSafeEqual } from 'node:crypto';
import type { Pool } from 'pg';
import { digestOf, type KeyEnvironment, keyIdIn, parseKey } from './keys.ts';

/** A key that opens the service now. */
export interface AccessKey {
  readonly id: string;
  readonly environment: KeyEnvironment;
  readonly tier: string;
  /** When it stops opening it; null for never. */
  readonly expiresAt: Date | null;
}

export interface KeyVerifier {
  /** The answer that needs no query: the key, null where it is refused, undefined where only `verify` can tell. */
  known(text: string): AccessKey | null | undefined;
  /** The key; null where it is malformed, unknown, revoked or expired, without saying which. */
  verify(text: string): Promise<AccessKey | null>;
}

interface Stored extends AccessKey {
  readonly digest: Buffer;
  /** The key itself, once it was shown. */
  key?: Buffer;
}

/** A revocation is effective within 5 seconds, the time of the query included. */
const KEPT_MS = 4_000;
const MAX_KEPT = 10_000;

const BY_ID = `
  select id, environment, tier, digest, expires_at as "expiresAt" from access.api_key where id = $1 and revoked_at is null`;

/** Verifies keys by the digests of `pool`, and remembers what it read for a few seconds. */
export function keyVerifier(pool: Pool, now: () => number): KeyVerifier {
  // Apart, so that made-up ids do not push out the keys in use.
  const valid = shortMemory<Stored>(now);
  const invalid = shortMemory<null>(now);
  const asking = new Map<string, Promise<Stored | null>>();

  async function ask(id: string): Promise<Stored | null> {
    const askedAt = now();
    const { rows } = await pool.query<Stored>({
      name: 'api-key',
      text: BY_ID,
      values: [id],
    });
    const [stored = null] = rows;
    if (stored === null) invalid.keep(id, null, askedAt);
    else valid.keep(id, stored, askedAt);
    return stored;
  }

  /** Requests that come while an id is asked for wait for the same answer. */
  function askOnce(id: string): Promise<Stored | null> {
    let answer = asking.get(id);
    if (answer === undefined) {
      answer = ask(id).finally(() => asking.delete(id));
      asking.set(id, answer);
    }
    return answer;
  }

  const opened = (text: string, stored: Stored | null): AccessKey | null => {
    return stored !== null && isKeyOf(text, stored) ? unexpired(stored) : null;
  };
  const unexpired = (stored: Stored): AccessKey | null =>
    stored.expiresAt === null || stored.expiresAt.getTime() > now() ? stored : null;

  return {
    known(text) {
      // A key that was shown a moment ago need not be taken apart again.
      const recent = valid.recall(keyIdIn(text));
      if (recent !== undefined && wasShown(text, recent)) return unexpired(recent);
      const id = parseKey(text)?.id;
      if (id === undefined) return null;
      const stored = valid.recall(id) ?? invalid.recall(id);
      return stored === undefined ? undefined : opened(text, stored);
    },
    async verify(text) {
      const id = parseKey(text)?.id;
      return id === undefined ? null : opened(text, await askOnce(id));
    },
  };
}

/** Whether the text is the stored key. One that was is kept beside it, so that the next need not be hashed again. */
function isKeyOf(text: string, stored: Stored): boolean {
  if (wasShown(text, stored)) return true;
  if (!timingSafeEqual(stored.digest, digestOf(text))) return false;
  stored.key = Buffer.from(text);
  return true;
}

function wasShown(text: string, { key }: Stored): boolean {
  if (key === undefined) return false;
  const bytes = Buffer.from(text);
  return key.length === bytes.length && timingSafeEqual(key, bytes);
}

interface ShortMemory<T> {
  recall(id: string): T | undefined;
  keep(id: string, value: T, since: number): void;
}

/** Keeps values for `KEPT_MS`; when there are too many, the oldest give way. */
function shortMemory<T>(now: () => number): ShortMemory<T> {
  const kept = new Map<string, { value: T; since: number }>();
  return {
    recall(id) {
      const entry = kept.get(id);
      if (entry === undefined) return undefined;
      if (now() - entry.since < KEPT_MS) return entry.value;
      kept.delete(id);
      return undefined;
    },
    keep(id, value, since) {
      kept.delete(id);
      kept.set(id, { value, since });
      const [oldest] = kept.keys();
      if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
    },
  };
}
