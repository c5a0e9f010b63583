import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';

const SECRET_BYTES = 32;

/**
 * Reads a secret that the database keeps for all processes; the first process creates it. Each process reads it once and
 * retries after a failure.
 *
 * @param pool on the database itself, not on a replica
 */
export function sharedSecret(pool: Pool, name: string): () => Promise<Buffer> {
  let secret: Promise<Buffer> | null = null;
  return () => {
    secret ??= readOrCreate(pool, name).catch((error: unknown) => {
      secret = null;
      throw error;
    });
    return secret;
  };
}

async function readOrCreate(pool: Pool, name: string): Promise<Buffer> {
  const existing = await read(pool, name);
  if (existing !== null) return existing;
  await pool.query('insert into access.secret (name, value) values ($1, $2) on conflict (name) do nothing', [
    name,
    randomBytes(SECRET_BYTES),
  ]);
  const created = await read(pool, name);
  if (created === null) throw new Error(`the secret ${name} was created but cannot be read`);
  return created;
}

async function read(pool: Pool, name: string): Promise<Buffer | null> {
  const { rows } = await pool.query<{ value: Buffer }>('select value from access.secret where name = $1', [
    name,
  ]);
  return rows[0]?.value ?? null;
}
