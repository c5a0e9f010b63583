import type { ClientBase, Pool, PoolClient } from 'pg';
import { recordAudit } from '../../db/audit.ts';
import { LOCKS } from '../../db/locks.ts';
import { transaction } from '../../db/transaction.ts';
import type { Projection, SourceRegistry } from '../../projections/engine/projection.ts';
import type { SubjectRef } from '../../projections/engine/rows.ts';
import { isOwn } from '../../projections/engine/store/code-version.ts';
import { ALL_BUCKETS } from '../../projections/engine/store/mark.ts';
import {
  documentTable,
  lookupTable,
  type Version,
  versionsOf,
  viewOf,
} from '../../projections/engine/store/version.ts';
import type { Decision } from './decision.ts';
import { clearMarks, readMarks } from './project-batch.ts';
import { projectKeys } from './project-keys.ts';
import { countNeeded, isValid, RequestExpired, type SwitchRequest } from './switch-request.ts';

export interface SwitchResult {
  /** The version that is live now. */
  readonly version: Version;
  /** The previous live version, which stays current for a rollback; null if there was none. */
  readonly replaced: Version | null;
  /** The longest time that a reader may have waited, in milliseconds. */
  readonly lockedMs: number;
}

/**
 * Limits of waiting for locks. Readers of a view queue behind the switch that waits for a long reader, so it gives up
 * early and tries again. Both views together take less than the server's deadlock timeout.
 */
const LOCK_WAIT_MS = { projectors: 5_000, first: 100, second: 40 };
const ALL_MARKS = { rows: 1_000_000_000, documents: Number.POSITIVE_INFINITY };

/** Dirty marks that the transaction of the switch may project, while projectors are paused. */
const MAX_MARKS = 500;

/** The version lacks too many changes that the live one has, or may have. */
export class VersionLagging extends Error {
  override readonly name = 'VersionLagging';
}

export interface SwitchOptions {
  readonly pool: Pool;
  readonly projection: Projection;
  readonly registry: SourceRegistry;
  readonly action: 'promote' | 'rollback';
  readonly decision: Decision;
}

/** Chooses the version that becomes live. @throws if none can */
export type VersionChoice = (versions: readonly Version[]) => Version;

/**
 * Makes the chosen version live, in one transaction. The caller holds `LOCKS.switch`. It projects the last marks of a version that has few. One that has
 * more must have been requested, and have every change that the live version had then.
 *
 * @throws VersionLagging if it does not, and RequestExpired; the database's error if readers hold the views
 */
export async function switchOnce(
  { pool, projection, registry, action, decision }: SwitchOptions,
  choose: VersionChoice,
  request: SwitchRequest | null = null,
): Promise<SwitchResult> {
  let lockedAt: number | null = null;
  const switched = await transaction(pool, async (client) => {
    await client.query(`set local lock_timeout = '${LOCK_WAIT_MS.projectors}ms'`);
    // Pauses projectors: the live version takes no change before the switch that the new one lacks.
    await client.query('select pg_advisory_xact_lock($1)', [LOCKS.delivery]);
    const versions = await versionsOf(client, projection.name);
    const version = choose(versions);
    // Another process has switched.
    if (version.state === 'live') return { version, replaced: null };
    const replaced = versions.find(({ state }) => state === 'live') ?? null;
    if (isOwn(version, projection)) {
      if (await hasFewMarks(client, version)) await projectMarks(client, { projection, version, registry });
      else await requireNeeded(client, version, request);
    }
    await moveStates(client, { version, replaced, action });
    await recordAudit(client, {
      ...decision,
      action,
      target: projection.name,
      detail: { version: version.id, replaced: replaced?.id ?? null },
    });
    lockedAt = performance.now();
    await replaceViews(client, version);
    return { version: { ...version, state: 'live' as const }, replaced };
  });
  return { ...switched, lockedMs: lockedAt === null ? 0 : performance.now() - lockedAt };
}

async function requireNeeded(
  client: PoolClient,
  { id, projection }: Version,
  request: SwitchRequest | null,
): Promise<void> {
  if (request !== null && !(await isValid(client, request))) throw new RequestExpired(request);
  if (request === null || (await countNeeded(client, request)) > 0)
    throw new VersionLagging(`version ${id} of ${projection} lacks changes of the live one`);
}

/** Stops counting beyond. */
async function hasFewMarks(client: ClientBase, { id }: Version): Promise<boolean> {
  const { rows } = await client.query<{ marks: number }>(
    `select coalesce(sum(cardinality(keys)), 0)::float8 as marks
     from (select keys from projection.mark where version = $1 limit $2::int4 + 1) oldest`,
    [id, MAX_MARKS],
  );
  return (rows[0]?.marks ?? 0) <= MAX_MARKS;
}

/** Projects all marked documents and their dependents. The live version lacks the changes marked meanwhile too. */
async function projectMarks(
  client: ClientBase,
  { projection, version, registry }: Pick<SwitchOptions, 'projection' | 'registry'> & { version: Version },
): Promise<void> {
  const marks = await readMarks(client, { versions: [version], buckets: ALL_BUCKETS, limits: ALL_MARKS });
  const done = new Set<SubjectRef>();
  for (let keys: ReadonlySet<SubjectRef> = new Set(marks.since.keys()); keys.size > 0; ) {
    const { dependents } = await projectKeys(client, { projection, versions: [version], keys, registry });
    for (const key of keys) done.add(key);
    keys = new Set(dependents.keys()).difference(done);
  }
  if (marks.ids.length > 0)
    await clearMarks(client, { versions: [version], buckets: ALL_BUCKETS, ids: marks.ids });
}

/** A projection has at most one live and one previous version at any moment, so each state is vacated first. */
async function moveStates(
  client: ClientBase,
  { version, replaced, action }: Omit<SwitchResult, 'lockedMs'> & Pick<SwitchOptions, 'action'>,
): Promise<void> {
  const move = (id: number, state: string, more = '') =>
    client.query(`update projection.version set state = $2 ${more} where id = $1`, [id, state]);
  if (action === 'promote') {
    await client.query(
      `update projection.version set state = 'retired' where projection = $1 and state = 'previous'`,
      [version.projection],
    );
  } else {
    await move(version.id, 'retired');
  }
  if (replaced !== null) await move(replaced.id, 'previous', ', replaced_at = now()');
  await move(version.id, 'live', ', promoted_at = now(), replaced_at = null');
  // Including requests of processes that died.
  await client.query(
    `update projection.version set switch_requested_at = null, switch_until = null, favoured_until = null
     where projection = $1`,
    [version.projection],
  );
}

async function replaceViews(client: ClientBase, version: Version): Promise<void> {
  const view = viewOf(version.projection);
  await client.query(`
    set local lock_timeout = '${LOCK_WAIT_MS.first}ms';
    create or replace view ${view} as select id, key, hash, body from ${documentTable(version)};
    set local lock_timeout = '${LOCK_WAIT_MS.second}ms';
    create or replace view ${view}_address as select address, rank, support, document from ${lookupTable(version)};`);
}
