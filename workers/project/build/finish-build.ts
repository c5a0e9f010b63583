import type { Pool } from 'pg';
import { LOCKS } from '../../../db/locks.ts';
import { transaction } from '../../../db/transaction.ts';
import type { Projection } from '../../../projections/engine/projection.ts';
import { indexLookupKeys } from '../../../projections/engine/store/index-lookup-keys.ts';
import { documentTable, findVersion, lookupTable } from '../../../projections/engine/store/version.ts';
import type { BuildSession } from './join-build.ts';

/** SQLSTATE lock_not_available. */
const LOCK_TIMEOUT = '55P03';

/**
 * Runs `work` for a version while no other builder does, so that the second finds it done. Does not wait longer than
 * minutes for a stuck builder, so `work` must be safe to run twice.
 */
export async function withFinishLock<T>(
  { holder, version }: BuildSession,
  work: () => Promise<T>,
): Promise<T> {
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

/** Indexes a version that has all its documents and makes it ready, unless another builder has. @throws if it was dropped */
export async function finishBuild(pool: Pool, projection: Projection, session: BuildSession): Promise<void> {
  const { id } = session.version;
  await withFinishLock(session, async () => {
    const version = await findVersion(session.holder, id);
    if (version === null)
      throw new Error(`version ${id} of ${projection.name} was dropped while it was being built`);
    if (version.state !== 'building') return;
    await indexLookupKeys(pool, version, projection);
    await session.holder.query(`vacuum analyze ${documentTable(version)}, ${lookupTable(version)}`);
    await transaction(pool, async (client) => {
      await client.query(
        `update projection.version set state = 'retired' where projection = $1 and state = 'ready'`,
        [projection.name],
      );
      await client.query(
        `update projection.version set state = 'ready', ready_at = now() where id = $1 and state = 'building'`,
        [id],
      );
    });
  });
}
