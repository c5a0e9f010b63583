import type { ClientBase, Pool } from 'pg';
import { LOCKS } from '../../db/locks.ts';
import { transaction } from '../../db/transaction.ts';
import { nearNameIndex } from '../identity/near-names.ts';

type VersionState = 'building' | 'ready' | 'live';

export interface Version {
  readonly id: number;
  readonly projection: string;
  readonly state: VersionState;
}

/** Name of a projection's view, and with an ending of what goes with it. */
export const viewOf = (projection: string): string => `read.${projection.replaceAll('-', '_')}`;

/** Where a version's documents and addresses stand. */
export const documentTable = ({ projection, id }: Version): string => `${viewOf(projection)}_${id}`;
/** The keys that a build goes through. */
export const planTable = (version: Version): string => `${documentTable(version)}_plan`;
export const addressTable = (version: Version): string => `${documentTable(version)}_address`;

/** Indexes on the addresses of a projection beside those that all have. */
const FURTHER_INDEX: Readonly<Record<string, (table: string) => string>> = {
  identity: nearNameIndex,
};

/**
 * Creates an empty version. Once this returns, every change that is applied marks its documents in it, and
 * every change applied before can be read from the mirror.
 */
export async function createVersion(pool: Pool, projection: string, fingerprint: string): Promise<Version> {
  return transaction(pool, async (client) => {
    // Waits for batches that read the list of versions before this one was in it.
    await client.query('select pg_advisory_xact_lock($1)', [LOCKS.versions]);
    const { rows } = await client.query<{ id: number }>(
      `insert into projection.version (projection, state, fingerprint) values ($1, 'building', $2) returning id`,
      [projection, fingerprint],
    );
    const version: Version = {
      id: rows[0]?.id ?? 0,
      projection,
      state: 'building',
    };
    await client.query(`
      create table ${documentTable(version)} (
        key text collate "C" primary key,
        hash bytea not null,
        body bytea not null
      );
      -- Bodies are compressed already, and one that fits the page is read without a second look-up.
      alter table ${documentTable(version)} alter column body set storage external;
      alter table ${documentTable(version)} set (toast_tuple_target = 8160);
      create table ${addressTable(version)} (
        address text collate "C" not null,
        rank smallint not null,
        support integer not null,
        key text collate "C" not null
      );
      -- In the order in which claims to an address are weighed, so that the first entry is its owner.
      create unique index on ${addressTable(version)} (address, rank, support desc, key);
      create index on ${addressTable(version)} (key);
      ${FURTHER_INDEX[projection]?.(addressTable(version)) ?? ''};`);
    return version;
  });
}

/** Versions whose documents are kept up to date. */
export async function keptVersions(client: ClientBase | Pool): Promise<Version[]> {
  const { rows } = await client.query<Version>({
    name: 'kept-versions',
    text: `select id, projection, state from projection.version order by id`,
  });
  return rows;
}

export async function liveVersion(
  client: ClientBase | Pool,
  projection: string,
): Promise<(Version & { fingerprint: string }) | null> {
  const { rows } = await client.query<Version & { fingerprint: string }>(
    `select id, projection, state, fingerprint from projection.version where projection = $1 and state = 'live'`,
    [projection],
  );
  return rows[0] ?? null;
}

/** Makes a version the one that is served, in one transaction, and drops the one it replaces. */
export async function promoteVersion(pool: Pool, version: Version): Promise<void> {
  await transaction(pool, async (client) => {
    await client.query('select pg_advisory_xact_lock($1)', [LOCKS.versions]);
    const replaced = await liveVersion(client, version.projection);
    if (replaced !== null) {
      await client.query('delete from projection.version where id = $1', [replaced.id]);
      await client.query('delete from projection.mark where version = $1', [replaced.id]);
    }
    await client.query(`update projection.version set state = 'live', promoted_at = now() where id = $1`, [
      version.id,
    ]);
    await client.query(`
      create or replace view ${viewOf(version.projection)} as select key, hash, body from ${documentTable(version)};
      create or replace view ${viewOf(version.projection)}_address as
        select address, rank, support, key from ${addressTable(version)};`);
    if (replaced !== null) {
      await client.query(`drop table ${documentTable(replaced)}, ${addressTable(replaced)}`);
    }
  });
}

/** Removes versions that were not promoted, with their tables and marks. Only for who holds the build lock. */
export async function discardUnfinished(pool: Pool, projection: string): Promise<void> {
  await transaction(pool, async (client) => {
    await client.query('select pg_advisory_xact_lock($1)', [LOCKS.versions]);
    const { rows } = await client.query<Version>(
      `delete from projection.version where projection = $1 and state <> 'live' returning id, projection, state`,
      [projection],
    );
    // Also of versions replaced long since: a projector may have been at work on one to the last.
    await client.query(
      'delete from projection.mark where version not in (select id from projection.version)',
    );
    for (const version of rows) {
      await client.query(
        `drop table if exists ${documentTable(version)}, ${addressTable(version)}, ${planTable(version)}`,
      );
    }
  });
}
