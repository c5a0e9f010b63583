import type { PoolClient } from 'pg';
import { generationTables } from '../../../projections/search/generation.ts';

/** For how long a generation that was replaced can still be read: whoever searches takes up a new one within seconds. */
const GRACE_MINUTES = 15;
/** SQLSTATE lock_not_available. */
const IN_USE = '55P03';

/**
 * Drops the generations that were replaced a while ago, what builds that broke off have left, and the changes that every
 * generation knows.
 *
 * @param client that holds the lock of generations, so that none is being built
 * @returns how many generations were dropped
 */
export async function dropGenerations(client: PoolClient, graceMinutes = GRACE_MINUTES): Promise<number> {
  const { rows } = await client.query<{ id: number }>(
    `select id from search.generation
     where state = 'building' or (state = 'retired' and retired_at <= now() - make_interval(mins => $1))
     order by id`,
    [graceMinutes],
  );
  let dropped = 0;
  for (const { id } of rows) if (await dropGeneration(client, id)) dropped++;
  await dropChanges(client);
  return dropped;
}

/** Answers false where it is in use, so that it is left for another time. */
async function dropGeneration(client: PoolClient, id: number): Promise<boolean> {
  await client.query('begin');
  try {
    await client.query(`set local lock_timeout = '2s'`);
    await client.query(`drop table if exists ${generationTables(id).join(', ')}`);
    await client.query('delete from search.generation where id = $1', [id]);
    await client.query('commit');
    return true;
  } catch (error) {
    await client.query('rollback').catch(() => {});
    if ((error as { code?: unknown }).code === IN_USE) return false;
    throw error;
  }
}

/**
 * What every generation shows, none needs to be told of. By each snapshot itself, not by where the oldest begins: a
 * transaction that lasts, even one of another database, would keep all that came after it. Of a version without documents
 * nothing can be read.
 */
async function dropChanges(client: PoolClient): Promise<void> {
  await client.query(`
    delete from search.change
    where (
        select bool_and(pg_visible_in_snapshot(change.xid, snapshot)) from search.generation
        where snapshot is not null)
      or version not in (select id from projection.version where state <> 'retired')`);
}
