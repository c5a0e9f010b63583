import type { Pool, PoolClient } from 'pg';
import { LOCKS } from '../../../db/locks.ts';
import { transaction } from '../../../db/transaction.ts';
import type { Projection } from '../../../projections/projection.ts';
import { createVersion } from '../../../projections/store/create-version.ts';
import {
  findVersion,
  type Version,
  type VersionState,
  versionsOf,
} from '../../../projections/store/version.ts';

/** The projection is being built by other code, and two builds at a time there are not. */
export class OtherBuild extends Error {
  override readonly name = 'OtherBuild';
}

/** A part in the building of a version. While anybody has one, the version is not dropped. */
export interface Part {
  readonly version: Version;
  /** The connection that holds the part. */
  readonly holder: PoolClient;
  /** Aborted when that connection is lost, and the part with it. */
  readonly lost: AbortSignal;
  /** @param isSound whether the connection may be used again */
  leave(isSound: boolean): Promise<void>;
}

export interface JoinOptions {
  readonly fingerprint: string;
  /** Whether a build of other code that nobody works on is dropped rather than a reason to refuse. */
  readonly replaceAbandoned: boolean;
  /** Whether a new version is begun although the live one is of this code. */
  readonly anew: boolean;
}

/**
 * Takes part in building a projection's next version: the one that this code is building or has made ready, else a new
 * one; or the live one, where that will do.
 *
 * @throws OtherBuild while other code builds
 */
export async function joinBuild(pool: Pool, projection: Projection, options: JoinOptions): Promise<Part> {
  for (;;) {
    const found = await findOrCreate(pool, projection, options);
    const part = found === null ? null : await takePart(pool, found);
    // Whoever dropped the version meanwhile was faster.
    if (part !== null) return part;
  }
}

async function findOrCreate(
  pool: Pool,
  projection: Projection,
  { fingerprint, replaceAbandoned, anew }: JoinOptions,
): Promise<Version | null> {
  const versions = await versionsOf(pool, projection.name);
  const building = versions.find(({ state }) => state === 'building');
  const enough: VersionState[] = anew ? ['ready'] : ['ready', 'live'];
  const own = versions.find(
    (version) => version.fingerprint === fingerprint && enough.includes(version.state),
  );
  if (own !== undefined && (building === undefined || own.state === 'live')) return own;
  if (building === undefined) return createVersion(pool, projection, fingerprint, enough);
  if (building.fingerprint === fingerprint) return building;
  if (replaceAbandoned && (await discardVersion(pool, building))) return null;
  throw new OtherBuild(
    `version ${building.id} of ${projection.name} is being built by other code; ` +
      `wait until it is through, or drop it: rebuild ${projection.name} --from-scratch`,
  );
}

async function takePart(pool: Pool, { id }: Version): Promise<Part | null> {
  const holder = await pool.connect();
  const lost = new AbortController();
  const lose = () => lost.abort(new Error('Connection terminated while a build was held by it'));
  holder.once('error', lose);
  holder.once('end', lose);
  const leave = async (isSound: boolean): Promise<void> => {
    holder.off('error', lose);
    holder.off('end', lose);
    // Closing the connection would let go of the locks too, but only when the server has noticed.
    const isFree = await holder.query('select pg_advisory_unlock_all(); reset lock_timeout').then(
      () => true,
      () => false,
    );
    holder.release(!(isSound && isFree));
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

/**
 * Drops the versions that a build from scratch does not go on with: unfinished ones, and those that this code made ready.
 *
 * @throws while somebody builds one of them
 */
export async function discardUnserved(
  pool: Pool,
  projection: Projection,
  fingerprint: string,
): Promise<void> {
  for (const version of await versionsOf(pool, projection.name)) {
    const isOurs = version.state === 'ready' && version.fingerprint === fingerprint;
    if (version.state !== 'building' && !isOurs) continue;
    if (await discardVersion(pool, version)) continue;
    throw new Error(
      `version ${version.id} of ${projection.name} is being built by ${await countBuilders(pool, version)} ` +
        'at the moment; stop them, or let them finish',
    );
  }
}

/** Retires a version that is not served. Answers false where somebody builds it. */
async function discardVersion(pool: Pool, { id }: Version): Promise<boolean> {
  return transaction(pool, async (client) => {
    const { rows } = await client.query<{ got: boolean }>('select pg_try_advisory_xact_lock($1, $2) as got', [
      LOCKS.build,
      id,
    ]);
    if (!rows[0]?.got) return false;
    await client.query(
      `update projection.version set state = 'retired' where id = $1 and state in ('building', 'ready')`,
      [id],
    );
    return true;
  });
}

/** How many processes take part in building a version. */
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
