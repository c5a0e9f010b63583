import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';

const SECRET_BYTES = 32;

/**
 * Reads a secret that the database keeps for all processes; the first that asks makes it. It is asked for once a process;
 * a failure is forgotten.
 *
 * @param pool on the database itself, not on a replica
 */
export function keptSecret(pool: Pool, name: string): () => Promise<Buffer> {
  let secret: Promise<Buffer> | null = null;
  return () => {
    secret ??= readOrMake(pool, name).catch((error: unknown) => {
      secret = null;
      throw error;
    });
    return secret;
  };
}

async function readOrMake(pool: Pool, name: string): Promise<Buffer> {
  const kept = await read(pool, name);
  if (kept !== null) return kept;
  await pool.query('insert into access.secret (name, value) values ($1, $2) on conflict (name) do nothing', [
    name,
    randomBytes(SECRET_BYTES),
  ]);
  const made = await read(pool, name);
  if (made === null) throw new Error(`the secret ${name} was made and is not there`);
  return made;
}

async function read(pool: Pool, name: string): Promise<Buffer | null> {
  const { rows } = await pool.query<{ value: Buffer }>('select value from access.secret where name = $1', [
    name,
  ]);
  return rows[0]?.value ?? null;
}
