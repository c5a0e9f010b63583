import type { Pool, PoolClient } from 'pg';
import { LOCKS } from '../../db/locks.ts';
import { transaction } from '../../db/transaction.ts';
import type { Projection } from '../../projections/engine/projection.ts';
import type { Version } from '../../projections/engine/store/version.ts';

/** Longest time that changes of the live version wait behind those of the version that replaces it. */
export const HOLD_MS = 30_000;
/** A process that dies during a switch delays the live version for this long at most. */
const LEASE_MS = HOLD_MS;
const RENEW_EVERY_MS = 5_000;
/** Later batches queue behind the one that is waited for, so this fails early. */
const BARRIER_MS = 5_000;

/**
 * While it is valid, projectors write the live version only together with the one that replaces it, so that the live
 * version gains nothing that the other lacks.
 */
export interface SwitchRequest {
  readonly id: number;
  /** Identifies the request. */
  readonly requestedAt: string;
  /** The new version needs no change that was marked later, in text form: it has microseconds. */
  readonly neededUntil: string;
}

/**
 * Runs `work` while no other process makes another version of the projection live; waits for one that does.
 *
 * @param work receives the connection that holds the lock
 */
export async function withSwitchLock<T>(
  pool: Pool,
  { name }: Projection,
  work: (holder: PoolClient) => Promise<T>,
): Promise<T> {
  const holder = await pool.connect();
  let isReusable = false;
  try {
    await holder.query('select pg_advisory_lock($1, hashtext($2))', [LOCKS.switch, name]);
    const result = await work(holder);
    isReusable = true;
    return result;
  } finally {
    const isUnlocked = await holder
      .query('select pg_advisory_unlock($1, hashtext($2))', [LOCKS.switch, name])
      .then(
        () => true,
        () => false,
      );
    // A closed connection releases its lock.
    holder.release(!(isReusable && isUnlocked));
  }
}

/**
 * Requests that projectors project the marks of this version first, and write the live one only together with it. Resolves
 * once all of them comply.
 *
 * @throws the database's error if a batch does not end within seconds
 */
export async function requestSwitch(pool: Pool, { id }: Version): Promise<SwitchRequest> {
  const { rows } = await pool.query<{ requestedAt: string }>(
    `update projection.version
     set switch_requested_at = clock_timestamp(),
       switch_until = clock_timestamp() + make_interval(secs => $2),
       favoured_until = clock_timestamp() + make_interval(secs => $3)
     where id = $1 and state <> 'retired' returning switch_requested_at::text as "requestedAt"`,
    [id, LEASE_MS / 1_000, HOLD_MS / 1_000],
  );
  const [requested] = rows;
  if (requested === undefined) throw new Error(`version ${id} was dropped`);
  // Batches that began before have ended then, and later ones see the request.
  const neededUntil = await transaction(pool, async (client) => {
    await client.query(`set local lock_timeout = '${BARRIER_MS}ms'`);
    await client.query('select pg_advisory_xact_lock($1)', [LOCKS.delivery]);
    const now = await client.query<{ now: string }>('select clock_timestamp()::text as now');
    return now.rows[0]?.now ?? '';
  });
  return { id, ...requested, neededUntil };
}

/** An SQL condition: the request is still valid. Its parameters are the version and the time of the request. */
const IS_VALID = 'id = $1 and switch_requested_at = $2::timestamptz and switch_until > clock_timestamp()';

/** Whether projectors have complied with the request all the time. */
export async function isValid(client: PoolClient, { id, requestedAt }: SwitchRequest): Promise<boolean> {
  const { rowCount } = await client.query(`select from projection.version where ${IS_VALID}`, [
    id,
    requestedAt,
  ]);
  return rowCount === 1;
}

/** Projectors no longer comply with the request. */
export class RequestExpired extends Error {
  override readonly name = 'RequestExpired';

  constructor({ id }: SwitchRequest) {
    super(`the request of version ${id} expired`);
  }
}

/** Calls `onLost` when the request expires that is not renewed, unless the returned function is called before. */
export function expire(request: SwitchRequest, onLost: (reason: RequestExpired) => void): () => void {
  const timer = setTimeout(() => onLost(new RequestExpired(request)), HOLD_MS);
  return () => clearTimeout(timer);
}

/**
 * Renews the request until the returned function is called. A request that has expired stays so.
 *
 * @param onLost receives a `RequestExpired`, or the error of the connection
 */
export function keepRequest(
  holder: PoolClient,
  request: SwitchRequest,
  onLost: (reason: unknown) => void,
): () => void {
  const renew = async (): Promise<void> => {
    const { rowCount } = await holder.query(
      `update projection.version set switch_until = clock_timestamp() + make_interval(secs => $3)
       where ${IS_VALID}`,
      [request.id, request.requestedAt, LEASE_MS / 1_000],
    );
    if (rowCount === 0) onLost(new RequestExpired(request));
  };
  const timer = setInterval(() => void renew().catch(onLost), RENEW_EVERY_MS);
  return () => clearInterval(timer);
}

/** Ends the request, so that projectors continue as usual. */
export async function endRequest(pool: Pool, { id, requestedAt }: SwitchRequest): Promise<void> {
  await pool.query(
    `update projection.version set switch_requested_at = null, switch_until = null, favoured_until = null
     where id = $1 and switch_requested_at = $2::timestamptz`,
    [id, requestedAt],
  );
}

/** Documents of the version that are still marked with a change that it needs; one that is marked twice counts twice. */
export async function countNeeded(
  client: Pool | PoolClient,
  { id, neededUntil }: SwitchRequest,
): Promise<number> {
  const { rows } = await client.query<{ marks: number }>({
    name: 'count-needed-marks',
    text: `select coalesce(sum(cardinality(keys)), 0)::float8 as marks from projection.mark
           where version = $1 and marked_at <= $2::timestamptz`,
    values: [id, neededUntil],
  });
  return rows[0]?.marks ?? 0;
}
