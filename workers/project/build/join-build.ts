import type { Pool, PoolClient } from 'pg';
import { LOCKS } from '../../../db/locks.ts';
import { transaction } from '../../../db/transaction.ts';
import type { Projection } from '../../../projections/engine/projection.ts';
import { isOwn } from '../../../projections/engine/store/code-version.ts';
import { createVersion } from '../../../projections/engine/store/create-version.ts';
import {
  findVersion,
  type Version,
  type VersionState,
  versionsOf,
} from '../../../projections/engine/store/version.ts';

/** Other code is building the projection. */
export class OtherBuild extends Error {
  override readonly name = 'OtherBuild';
}

/** Membership in the build of a version. A version with members is not dropped. */
export interface BuildSession {
  readonly version: Version;
  /** The connection that holds the membership lock. */
  readonly holder: PoolClient;
  /** Aborted when that connection, and so the membership, is lost. */
  readonly lost: AbortSignal;
  /** @param isReusable whether the connection may go back to the pool */
  leave(isReusable: boolean): Promise<void>;
}

export interface JoinOptions {
  /** Whether to drop a build of other code that has no builder, instead of throwing. */
  readonly replaceAbandoned: boolean;
  /** Whether to build a version even if the live one is of this code. */
  readonly always: boolean;
}

/**
 * Joins the build of a projection's next version: the one that this code is building or has made ready, else a new one;
 * or the live one if it is of this code and `always` is false.
 *
 * @throws OtherBuild while other code builds
 */
export async function joinBuild(
  pool: Pool,
  projection: Projection,
  options: JoinOptions,
): Promise<BuildSession> {
  for (;;) {
    const found = await findOrCreate(pool, projection, options);
    const session = found === null ? null : await openSession(pool, found);
    // Null: another process dropped the version meanwhile.
    if (session !== null) return session;
  }
}

async function findOrCreate(
  pool: Pool,
  projection: Projection,
  { replaceAbandoned, always }: JoinOptions,
): Promise<Version | null> {
  const versions = await versionsOf(pool, projection.name);
  const building = versions.find(({ state }) => state === 'building');
  const enough: VersionState[] = always ? ['ready'] : ['ready', 'live'];
  const own = versions.find((version) => isOwn(version, projection) && enough.includes(version.state));
  if (own !== undefined && (building === undefined || own.state === 'live')) return own;
  if (building === undefined) return createVersion(pool, projection, { unless: enough });
  if (isOwn(building, projection)) return building;
  if (replaceAbandoned && (await discardVersion(pool, building))) return null;
  throw new OtherBuild(
    `version ${building.id} of ${projection.name} is being built by other code; ` +
      `wait until it has finished, or drop it: rebuild ${projection.name} --from-scratch`,
  );
}

async function openSession(pool: Pool, { id }: Version): Promise<BuildSession | null> {
  const holder = await pool.connect();
  const lost = new AbortController();
  const lose = () => lost.abort(new Error('Connection terminated during a build'));
  holder.once('error', lose);
  holder.once('end', lose);
  const leave = async (isReusable: boolean): Promise<void> => {
    holder.off('error', lose);
    holder.off('end', lose);
    // A closed connection releases its locks only once the server notices.
    const isUnlocked = await holder.query('select pg_advisory_unlock_all(); reset lock_timeout').then(
      () => true,
      () => false,
    );
    holder.release(!(isReusable && isUnlocked));
  };
  try {
    await holder.query('select pg_advisory_lock_shared($1, $2)', [LOCKS.build, id]);
    const version = await findVersion(holder, id);
    if (version !== null) return { version, holder, lost: lost.signal, leave };
  } catch (error) {
    await leave(false);
    throw error;
  }
  await leave(true);
  return null;
}

/** Drops unfinished versions, and those that this code made ready, for a build from scratch. @throws while one has a builder */
export async function discardUnserved(pool: Pool, projection: Projection): Promise<void> {
  for (const version of await versionsOf(pool, projection.name)) {
    const isOurs = version.state === 'ready' && isOwn(version, projection);
    if (version.state !== 'building' && !isOurs) continue;
    if (await discardVersion(pool, version)) continue;
    throw new Error(
      `version ${version.id} of ${projection.name} is being built by ${await countBuilders(pool, version)} ` +
        'now; stop them, or let them finish',
    );
  }
}

/** Retires a version that is not served. Returns false if it has a builder. */
async function discardVersion(pool: Pool, { id }: Version): Promise<boolean> {
  return transaction(pool, async (client) => {
    const { rows } = await client.query<{ locked: boolean }>(
      'select pg_try_advisory_xact_lock($1, $2) as locked',
      [LOCKS.build, id],
    );
    if (!rows[0]?.locked) return false;
    await client.query(
      `update projection.version set state = 'retired' where id = $1 and state in ('building', 'ready')`,
      [id],
    );
    return true;
  });
}

/** The number of processes that build a version. */
async function countBuilders(pool: Pool, { id }: Version): Promise<string> {
  const { rows } = await pool.query<{ builders: number }>(
    `select count(*)::int4 as builders from pg_locks
     where locktype = 'advisory' and granted and classid = $1 and objid = $2
       and database = (select oid from pg_database where datname = current_database())`,
    [LOCKS.build, id],
  );
  const builders = rows[0]?.builders ?? 0;
  return builders === 1 ? 'one process' : `${builders} processes`;
}
