import type { Pool } from 'pg';
import { LOCKS } from '../../../db/locks.ts';
import { transaction } from '../../../db/transaction.ts';
import type { Projection } from '../projection.ts';
import { codeVersion } from './code-version.ts';
import { documentTable, lookupTable, VERSION_COLUMNS, type Version, type VersionState } from './version.ts';

export interface CreateOptions {
  /** Default: that of the projection. */
  readonly codeVersion?: string;
  /** States in which another version of the same code makes this one needless. Default: none. */
  readonly unless?: readonly VersionState[];
}

/**
 * Creates an empty version; `indexLookupKeys` indexes it once it has all its documents. After this returns, every applied
 * change marks its documents dirty in this version, and every change applied before can be read from the mirror.
 *
 * @returns null if `unless` holds, or the projection already has a version under construction
 */
export async function createVersion(
  pool: Pool,
  projection: Projection,
  options: CreateOptions = {},
): Promise<Version | null> {
  const { name, reads, onCreate = () => '' } = projection;
  const { codeVersion: own = codeVersion(projection), unless = [] } = options;
  return transaction(pool, async (client) => {
    // Waits for batches that read the list of versions before, but not for a stuck one, since all others wait meanwhile.
    await client.query(`set local lock_timeout = '5s'`);
    await client.query('select pg_advisory_xact_lock($1)', [LOCKS.versions]);
    const { rows } = await client.query<Version>(
      `insert into projection.version (projection, state, code_version, reads)
       select $1, 'building', $2, $3
       where not exists (
         select from projection.version where projection = $1 and code_version = $2 and state = any($4))
       on conflict (projection) where state = 'building' do nothing
       returning ${VERSION_COLUMNS}`,
      [
        name,
        own,
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
      create table ${lookupTable(version)} (
        document uuid not null,
        support integer not null,
        rank smallint not null,
        address text collate "C" not null
      );
      ${onCreate(documentTable(version), version.id)}`);
    return version;
  });
}
