import type { Pool, PoolClient } from 'pg';

/** Runs `work` in one transaction on a connection of its own; whatever it throws rolls everything back. */
export async function transaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch((failure: Error) => {
      broken = failure;
    });
    throw error;
  } finally {
    // A connection that could not roll back must not be handed out again.
    client.release(broken);
  }
}
