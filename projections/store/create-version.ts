import type { Pool } from 'pg';
import { LOCKS } from '../../db/locks.ts';
import { transaction } from '../../db/transaction.ts';
import type { Projection } from '../projection.ts';
import { changeTriggers } from '../search/changes.ts';
import { addressTable, documentTable, type Version, type VersionState } from './version.ts';

/** What is done with the documents of a projection whenever they change. */
const ON_CHANGE: Readonly<Record<string, (table: string, version: number) => string>> = {
  search: changeTriggers,
};

/**
 * Creates an empty version, whose addresses are indexed once they are all there (`indexAddresses`). Once this returns, every change that is applied marks its documents in it, and every
 * change applied before can be read from the mirror.
 *
 * @param unless states in which another version of the same code makes this one needless
 * @returns null where there is such a version, or the projection has one under construction already
 */
export async function createVersion(
  pool: Pool,
  { name, reads }: Projection,
  fingerprint: string,
  unless: readonly VersionState[] = [],
): Promise<Version | null> {
  return transaction(pool, async (client) => {
    // Waits for batches that read the list of versions before this one was in it, but not for one that is stuck: all
    // others wait meanwhile.
    await client.query(`set local lock_timeout = '5s'`);
    await client.query('select pg_advisory_xact_lock($1)', [LOCKS.versions]);
    const { rows } = await client.query<Version>(
      `insert into projection.version (projection, state, fingerprint, reads)
       select $1, 'building', $2, $3
       where not exists (
         select from projection.version where projection = $1 and fingerprint = $2 and state = any($4))
       on conflict (projection) where state = 'building' do nothing
       returning id, projection, state, fingerprint`,
      [
        name,
        fingerprint,
        JSON.stringify(Object.fromEntries(reads.map(({ source, by }) => [source.table, by]))),
        unless,
      ],
    );
    const [version] = rows;
    if (version === undefined) return null;
    await client.query(`
      create table ${documentTable(version)} (
        id uuid primary key,
        key text collate "C" not null,
        hash bytea not null,
        body bytea not null
      );
      -- Bodies are compressed already, and one that fits the page is read without a second look-up.
      alter table ${documentTable(version)} alter column body set storage external;
      alter table ${documentTable(version)} set (toast_tuple_target = 8160);
      create table ${addressTable(version)} (
        document uuid not null,
        support integer not null,
        rank smallint not null,
        address text collate "C" not null
      );
      ${ON_CHANGE[name]?.(documentTable(version), version.id) ?? ''}`);
    return version;
  });
}
