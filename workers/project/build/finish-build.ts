import type { Pool } from 'pg';
import { LOCKS } from '../../../db/locks.ts';
import { transaction } from '../../../db/transaction.ts';
import { indexAddresses } from '../../../projections/store/index-addresses.ts';
import { addressTable, documentTable, findVersion } from '../../../projections/store/version.ts';
import type { Part } from './join-build.ts';

/** SQLSTATE lock_not_available. */
const LOCK_TIMEOUT = '55P03';

/**
 * Does `work` for a version while no other builder of it does, so that the second finds it done. Work is such that
 * doing it twice does no harm, for one that is stuck is not waited for longer than minutes.
 */
export async function byTurns<T>({ holder, version }: Part, work: () => Promise<T>): Promise<T> {
  await holder.query(`set lock_timeout = '5min'`);
  try {
    await holder.query('select pg_advisory_lock($1, $2)', [LOCKS.finish, version.id]);
  } catch (error) {
    if ((error as { code?: unknown }).code !== LOCK_TIMEOUT) throw error;
  }
  try {
    return await work();
  } finally {
    await holder.query('select pg_advisory_unlock($1, $2)', [LOCKS.finish, version.id]).catch(() => {});
  }
}

/**
 * Makes a version ready that has all its documents. The first builder to get here does it; the others find it done.
 *
 * @throws where the version was dropped meanwhile
 */
export async function finishBuild(pool: Pool, part: Part): Promise<void> {
  const { id, projection } = part.version;
  await byTurns(part, async () => {
    const version = await findVersion(part.holder, id);
    if (version === null)
      throw new Error(`version ${id} of ${projection} was dropped while it was being built`);
    if (version.state !== 'building') return;
    await indexAddresses(pool, version);
    await part.holder.query(`vacuum analyze ${documentTable(version)}, ${addressTable(version)}`);
    await transaction(pool, async (client) => {
      await client.query(
        `update projection.version set state = 'retired' where projection = $1 and state = 'ready'`,
        [projection],
      );
      await client.query(
        `update projection.version set state = 'ready', ready_at = now() where id = $1 and state = 'building'`,
        [id],
      );
    });
  });
}
