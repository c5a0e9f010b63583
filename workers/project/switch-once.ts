import type { ClientBase, Pool } from 'pg';
import { recordAudit } from '../../db/audit.ts';
import { LOCKS } from '../../db/locks.ts';
import { transaction } from '../../db/transaction.ts';
import type { Projection, SourceRegistry } from '../../projections/projection.ts';
import type { SubjectRef } from '../../projections/rows.ts';
import { projectionFingerprint } from '../../projections/store/fingerprint.ts';
import { ALL_BUCKETS } from '../../projections/store/mark.ts';
import {
  addressTable,
  documentTable,
  type Version,
  versionsOf,
  viewOf,
} from '../../projections/store/version.ts';
import type { Decision } from './decision.ts';
import { clearMarks, type Take, takeMarks } from './drain-buckets.ts';
import { projectKeys } from './project-keys.ts';

/** What a switch came to. */
export interface Switched {
  /** The version that is live now. */
  readonly version: Version;
  /** The one that was, kept warm for the way back; null where there was none. */
  readonly replaced: Version | null;
  /** For how long at most a reader had to wait, in milliseconds. */
  readonly lockedMs: number;
}

/**
 * How long the views may be waited for. Readers queue behind whoever waits, so that a long one of them would hold up
 * all: rather give way and try again. Both together stay below the time after which the server looks for deadlocks.
 */
const LOCK_WAIT_MS = { projectors: 5_000, first: 100, second: 40 };
/** More than there may be by then. */
const ALL_MARKS: Take = { rows: 1_000_000_000, documents: Number.POSITIVE_INFINITY };

/** The version is further behind than the transaction of the switch can make up for. */
export class StillBehind extends Error {
  override readonly name = 'StillBehind';
}

export const isOwn = (version: Version): boolean =>
  projectionFingerprint({ name: version.projection }) === version.fingerprint;

export interface SwitchParts {
  readonly pool: Pool;
  readonly projection: Projection;
  readonly registry: SourceRegistry;
  readonly action: 'promote' | 'rollback';
  readonly decision: Decision;
}

/** Says which of a projection's versions is to be live. @throws where none can be */
export type Choice = (versions: readonly Version[]) => Version;

/**
 * Makes the chosen version live, in one transaction.
 *
 * @param mostLeft marked documents that may be projected in it
 * @throws StillBehind where there are more and it is a promotion; what the database says when readers hold the views
 */
export async function switchOnce(
  { pool, projection, registry, action, decision }: SwitchParts,
  choose: Choice,
  mostLeft: number,
): Promise<Switched> {
  let lockedAt: number | null = null;
  const switched = await transaction(pool, async (client) => {
    await client.query(`set local lock_timeout = '${LOCK_WAIT_MS.projectors}ms'`);
    await client.query('select pg_advisory_xact_lock($1, hashtext($2))', [LOCKS.switch, projection.name]);
    // Projectors stand by: what the live version takes up from here on, it takes up after the switch.
    await client.query('select pg_advisory_xact_lock($1)', [LOCKS.delivery]);
    const versions = await versionsOf(client, projection.name);
    const version = choose(versions);
    // Somebody else was faster.
    if (version.state === 'live') return { version, replaced: null };
    const replaced = versions.find(({ state }) => state === 'live') ?? null;
    if (isOwn(version) && (await isNear(client, version, mostLeft))) {
      await takeUpAll(client, projection, version, registry);
    } else if (action === 'promote') {
      throw new StillBehind(
        `version ${version.id} of ${projection.name} is ${mostLeft} marked documents and more behind, ` +
          'and changes come in as fast as they are taken up',
      );
    }
    await moveStates(client, version, replaced, action);
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

/** Whether no more marks than that are to be taken up; others need not be counted. */
async function isNear(client: ClientBase, { id }: Version, mostLeft: number): Promise<boolean> {
  const { rows } = await client.query<{ marks: number }>(
    `select coalesce(sum(cardinality(keys)), 0)::float8 as marks
     from (select keys from projection.mark where version = $1 limit $2::int4 + 1) oldest`,
    [id, mostLeft],
  );
  return (rows[0]?.marks ?? 0) <= mostLeft;
}

/** Projects all that is marked now, and what that touches. Marks that are made meanwhile are as new to the live version. */
async function takeUpAll(
  client: ClientBase,
  projection: Projection,
  version: Version,
  registry: SourceRegistry,
): Promise<void> {
  const marks = await takeMarks(client, version, ALL_BUCKETS, ALL_MARKS);
  const done = new Set<SubjectRef>();
  for (let keys: ReadonlySet<SubjectRef> = new Set(marks.since.keys()); keys.size > 0; ) {
    const { touches } = await projectKeys(client, projection, [version], keys, registry);
    for (const key of keys) done.add(key);
    keys = new Set(touches.keys()).difference(done);
  }
  if (marks.ids.length > 0) await clearMarks(client, [version], ALL_BUCKETS, marks.ids);
}

/** A projection has one live and one previous version at every moment, so each moves into a place that is free. */
async function moveStates(
  client: ClientBase,
  version: Version,
  replaced: Version | null,
  action: SwitchParts['action'],
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
  await move(version.id, 'live', ', promoted_at = now(), replaced_at = null, favoured_until = null');
}

async function replaceViews(client: ClientBase, version: Version): Promise<void> {
  const view = viewOf(version.projection);
  await client.query(`
    set local lock_timeout = '${LOCK_WAIT_MS.first}ms';
    create or replace view ${view} as select id, key, hash, body from ${documentTable(version)};
    set local lock_timeout = '${LOCK_WAIT_MS.second}ms';
    create or replace view ${view}_address as select address, rank, support, document from ${addressTable(version)};`);
}
