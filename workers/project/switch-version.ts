import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import { backoffMs } from '../../infra/runtime/retry.ts';
import type { Projection, SourceRegistry } from '../../projections/engine/projection.ts';
import { isOwn } from '../../projections/engine/store/code-version.ts';
import { sweepRetired } from '../../projections/engine/store/retire.ts';
import { type Version, versionsOf, viewOf } from '../../projections/engine/store/version.ts';
import { catchUp } from './catch-up.ts';
import type { Decision } from './decision.ts';
import {
  type SwitchOptions,
  type SwitchResult,
  switchOnce,
  type VersionChoice,
  VersionLagging,
} from './switch-once.ts';

const RETRY_MS = { firstMs: 100, maxMs: 2_000 };
const TIMEOUT_MS = 120_000;
/** SQLSTATEs lock_not_available and deadlock_detected. */
const IN_USE: ReadonlySet<unknown> = new Set(['55P03', '40P01']);

/** Dirty marks that the transaction of the switch projects, while projectors are paused; doubled after each failure. */
const MAX_MARKS = { first: 500, most: 16_000 };
/** Time to catch up before each attempt. */
const CATCH_UP_MS = 5_000;

/** The version cannot become live now, but may later. */
export class SwitchBlocked extends Error {
  override readonly name = 'SwitchBlocked';
}

export interface PromoteOptions {
  readonly id: number;
  readonly decision: Decision;
}

/**
 * Makes a ready version live, in one transaction, with every change that the live one has: no response is older after the
 * switch than before. The live version becomes the previous one, and the previous one is dropped. Does nothing if the
 * version is live already.
 *
 * @throws SwitchBlocked if long readers or a flood of changes blocked it for minutes; an error if the version is not
 *   ready or was built by other code
 */
export async function promoteVersion(
  pool: Pool,
  projection: Projection,
  registry: SourceRegistry,
  { id, decision }: PromoteOptions,
): Promise<SwitchResult> {
  return switchTo({ pool, projection, registry, action: 'promote', decision }, (versions) => {
    const version = versions.find((one) => one.id === id);
    if (version?.state === 'live') return version;
    if (version?.state !== 'ready')
      throw new Error(`version ${id} of ${projection.name} is ${version?.state ?? 'gone'}, not ready`);
    if (!isOwn(version, projection))
      throw new Error(
        `version ${id} of ${projection.name} was built by other code, and only that code can update it`,
      );
    return version;
  });
}

/**
 * Swaps the previous version and the live one. A previous version of other code becomes live as it is, and projectors of
 * that code continue from there.
 *
 * @throws SwitchBlocked if long readers blocked it for minutes; an error if there is no previous version
 */
export async function rollBack(
  pool: Pool,
  projection: Projection,
  registry: SourceRegistry,
  decision: Decision,
): Promise<SwitchResult> {
  // Chosen once, so that a retry does not undo a switch that succeeded.
  const { id } = previousOf(projection, await versionsOf(pool, projection.name));
  return switchTo({ pool, projection, registry, action: 'rollback', decision }, (versions) => {
    const version = versions.find((one) => one.id === id);
    if (version?.state === 'previous') return version;
    throw new Error(`version ${id} of ${projection.name} is ${version?.state ?? 'gone'} now, not previous`);
  });
}

function previousOf({ name }: Projection, versions: readonly Version[]): Version {
  const previous = versions.find(({ state }) => state === 'previous');
  if (previous === undefined) throw new Error(`${name} has no previous version`);
  return previous;
}

/** Makes projectors serve this version before the live one, because they cannot keep up with both. */
async function favour(pool: Pool, { id }: Version): Promise<void> {
  await pool.query(
    `update projection.version set favoured_until = now() + make_interval(secs => $2) where id = $1`,
    [id, (2 * CATCH_UP_MS) / 1_000],
  );
}

async function switchTo(parts: SwitchOptions, choose: VersionChoice): Promise<SwitchResult> {
  const { pool, projection, registry, action } = parts;
  const deadline = performance.now() + TIMEOUT_MS;
  let maxMarks = MAX_MARKS.first;
  for (let failures = 1; ; failures++) {
    const version = choose(await versionsOf(pool, projection.name));
    if (action === 'promote' && version.state === 'ready')
      await catchUp(pool, version, registry, { maxLeft: maxMarks / 2, timeoutMs: CATCH_UP_MS });
    try {
      const switched = await switchOnce(parts, choose, maxMarks);
      await sweepRetired(pool);
      return switched;
    } catch (error) {
      if (error instanceof VersionLagging) {
        // Changes arrive faster than they are projected: projectors have to pause for longer.
        maxMarks = Math.min(maxMarks * 2, MAX_MARKS.most);
        if (performance.now() > deadline) throw new SwitchBlocked(error.message);
        await favour(pool, version);
      } else if (!IN_USE.has((error as { code?: unknown }).code)) {
        throw error;
      } else if (performance.now() > deadline) {
        throw new SwitchBlocked(
          `${viewOf(projection.name)} has been in use for ${TIMEOUT_MS / 1_000} s without a pause; ` +
            'end the longest query or transaction (pg_stat_activity) and try again',
          { cause: error },
        );
      } else {
        await pause(backoffMs(failures, RETRY_MS));
      }
    }
  }
}
