import type { PoolClient } from 'pg';
import { generationTables } from '../../../projections/models/search/generation.ts';
import type { GenerationStore } from './generation-store.ts';

/** For this long a replaced generation stays readable. API processes switch to a new one within seconds. */
const GRACE_MINUTES = 15;
/** SQLSTATE lock_not_available. */
const IN_USE = '55P03';

/**
 * Drops generations replaced longer ago than the grace period, the remains of interrupted builds, and the changes that
 * every generation includes.
 *
 * @param client holds the lock of generations, so that no build is running
 * @returns the number of dropped generations
 */
export async function dropGenerations(client: PoolClient, store: GenerationStore): Promise<number> {
  const { rows } = await client.query<{ id: number }>(
    `select id from search.generation
     where state = 'building' or (state = 'retired' and retired_at <= now() - make_interval(mins => $1))
     order by id`,
    [GRACE_MINUTES],
  );
  let dropped = 0;
  for (const { id } of rows) if (await dropGeneration(client, id)) dropped++;
  const left = await client.query<{ id: number }>('select id from search.generation where format = $1', [
    store.format,
  ]);
  await store.keepOnly(left.rows.map(({ id }) => id));
  await dropChanges(client);
  return dropped;
}

/** False if the generation is in use; a later run drops it. */
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
 * Drops the changes that the snapshot of every generation includes, and those of retired versions. It checks each
 * snapshot rather than the oldest start: a long transaction, even in another database, would keep all later changes.
 */
async function dropChanges(client: PoolClient): Promise<void> {
  await client.query(`
    delete from search.change
    where (
        select bool_and(pg_visible_in_snapshot(change.xid, coalesce(applied_snapshot, snapshot)))
        from search.generation where snapshot is not null)
      or version not in (select id from projection.version where state <> 'retired')`);
}
