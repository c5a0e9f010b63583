import { DatabaseError, type Pool, type PoolClient } from 'pg';

/**
 * SQLSTATEs that persist on a connection: the server became a replica, or the schema of prepared statements changed.
 */
const PERSISTENT: ReadonlySet<string> = new Set(['25006', '0A000', '26000']);

const isPersistent = (error: unknown): error is Error =>
  error instanceof DatabaseError && PERSISTENT.has(error.code ?? '');

type Work<T> = (client: PoolClient) => Promise<T>;

/** Runs `work` in one transaction on its own connection. An error in `work` rolls back and is rethrown. */
export const transaction = <T>(pool: Pool, work: Work<T>): Promise<T> =>
  runTransaction(pool, work, { begin: 'begin', end: 'commit' });

/** Runs `work` in one transaction that always rolls back: for dry runs. */
export const rolledBackTransaction = <T>(pool: Pool, work: Work<T>): Promise<T> =>
  runTransaction(pool, work, { begin: 'begin', end: 'rollback' });

/**
 * For batches of documents. The commit does not wait for the disk: a server crash may undo whole batches of the last
 * fraction of a second, and the dirty marks that come back with them repeat the work. Named statements are planned once a
 * session and by an index, because planning for hundreds of keys can cost more than running, and a plan made while a table
 * was small would keep reading all of it.
 */
export const documentTransaction = <T>(pool: Pool, work: Work<T>): Promise<T> =>
  runTransaction(pool, work, {
    begin: `begin;
     set local synchronous_commit = off;
     set local plan_cache_mode = force_generic_plan;
     set local enable_seqscan = off`,
    end: 'commit',
  });

interface Bounds {
  readonly begin: string;
  readonly end: 'commit' | 'rollback';
}

async function runTransaction<T>(pool: Pool, work: Work<T>, { begin, end }: Bounds): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query(begin);
    const result = await work(client);
    await client.query(end);
    return result;
  } catch (error) {
    await client.query('rollback').catch((failure: Error) => {
      broken = failure;
    });
    if (isPersistent(error)) broken = error;
    throw error;
  } finally {
    // A connection that could not roll back, or would fail again, does not return to the pool.
    client.release(broken);
  }
}
