import { DatabaseError, type Pool, type PoolClient } from 'pg';

/**
 * SQLSTATEs that last as long as the connection: the server has become a replica, and its place may be taken by
 * another; or what it prepared is of a schema that has changed.
 */
const LASTING: ReadonlySet<string> = new Set(['25006', '0A000', '26000']);

const isLasting = (error: unknown): error is Error =>
  error instanceof DatabaseError && LASTING.has(error.code ?? '');

type Work<T> = (client: PoolClient) => Promise<T>;

/** Runs `work` in one transaction on a connection of its own; whatever it throws rolls everything back. */
export const transaction = <T>(pool: Pool, work: Work<T>): Promise<T> => runTransaction(pool, 'begin', work);

/**
 * For batches of documents, which are found undone, and done again, where they were lost: the commit does not wait for
 * the disk. A crash of the server may undo the last fraction of a second of it, never half of one.
 * A named statement is planned once a session, to find rows by an index: planning it for hundreds of keys anew can cost
 * more than running it, and a plan from when a table was small would go on reading all of it.
 */
export const documentTransaction = <T>(pool: Pool, work: Work<T>): Promise<T> =>
  runTransaction(
    pool,
    `begin;
     set local synchronous_commit = off;
     set local plan_cache_mode = force_generic_plan;
     set local enable_seqscan = off`,
    work,
  );

async function runTransaction<T>(pool: Pool, begin: string, work: Work<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query(begin);
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch((failure: Error) => {
      broken = failure;
    });
    if (isLasting(error)) broken = error;
    throw error;
  } finally {
    // One that could not roll back, or would fail again, must not be handed out again.
    client.release(broken);
  }
}
