import type { ClientBase, Pool } from 'pg';
import { LOCKS } from '../../../db/locks.ts';
import { transaction } from '../../../db/transaction.ts';
import {
  countMarks,
  documentTable,
  liveVersion,
  lookupTable,
  VERSION_COLUMNS,
  type Version,
} from './version.ts';

/** With fewer dirty marks, catching up is always cheaper than a new build. */
const FEW_MARKS = 100_000;
/** SQLSTATEs lock_not_available and dependent_objects_still_exist. */
const IN_USE: ReadonlySet<unknown> = new Set(['55P03', '2BP01']);

export interface RetireOptions {
  /** Previous versions that were replaced before this instant are dropped. */
  readonly olderThan: Date;
}

/**
 * Drops unused versions, for a periodic job: previous versions that were replaced before `olderThan`, those with more dirty
 * marks than documents (as when no projector of their code runs any more), and what an earlier sweep could not drop.
 *
 * @returns the dropped versions
 */
export async function retireVersions(pool: Pool, { olderThan }: RetireOptions): Promise<Version[]> {
  const { rows } = await pool.query<Version & { replacedAt: Date | null }>(
    `select ${VERSION_COLUMNS}, replaced_at as "replacedAt"
     from projection.version where state = 'previous' order by id`,
  );
  for (const version of rows) {
    const isOld = version.replacedAt !== null && version.replacedAt < olderThan;
    if (!isOld && !(await isLost(pool, version))) continue;
    await pool.query(`update projection.version set state = 'retired' where id = $1 and state = 'previous'`, [
      version.id,
    ]);
  }
  return sweepRetired(pool);
}

async function isLost(pool: Pool, version: Version): Promise<boolean> {
  const live = await liveVersion(pool, version.projection);
  const marks = (await countMarks(pool, version)) - (live === null ? 0 : await countMarks(pool, live));
  if (marks < FEW_MARKS) return false;
  const { rows } = await pool.query<{ documents: number }>(
    `select count(*)::float8 as documents from ${documentTable(version)}`,
  );
  return marks > (rows[0]?.documents ?? 0);
}

/**
 * Drops the tables and dirty marks of retired versions. Versions still in use after 2 s are left for the next sweep.
 *
 * @returns the dropped versions
 */
export async function sweepRetired(pool: Pool): Promise<Version[]> {
  const { rows } = await pool.query<Version>(
    `select ${VERSION_COLUMNS} from projection.version where state = 'retired' order by id`,
  );
  if (rows.length === 0) return [];
  // Lets batches and projectors finish that read the list before the version was retired.
  if (!(await passThrough(pool, LOCKS.versions)) || !(await passThrough(pool, LOCKS.delivery))) return [];
  const dropped: Version[] = [];
  for (const version of rows) {
    await pool.query('delete from projection.mark where version = $1', [version.id]);
    if (await dropTables(pool, version)) dropped.push(version);
  }
  return dropped;
}

/** Waits for the current holders of a lock, then releases it. False if a holder keeps it longer than 2 s. */
const passThrough = (pool: Pool, lock: number): Promise<boolean> =>
  unlessInUse(pool, async (client) => {
    await client.query('select pg_advisory_xact_lock($1)', [lock]);
    return true;
  });

const dropTables = (pool: Pool, version: Version): Promise<boolean> =>
  unlessInUse(pool, async (client) => {
    const { rowCount } = await client.query(
      `select from projection.version where id = $1 and state = 'retired' for update skip locked`,
      [version.id],
    );
    if (rowCount === 0) return false;
    await client.query(`drop table if exists ${documentTable(version)}, ${lookupTable(version)}`);
    await client.query('delete from projection.build_range where version = $1', [version.id]);
    await client.query('delete from projection.version where id = $1', [version.id]);
    return true;
  });

async function unlessInUse(pool: Pool, work: (client: ClientBase) => Promise<boolean>): Promise<boolean> {
  try {
    return await transaction(pool, async (client) => {
      await client.query(`set local lock_timeout = '2s'`);
      return work(client);
    });
  } catch (error) {
    if (IN_USE.has((error as { code?: unknown }).code)) return false;
    throw error;
  }
}
