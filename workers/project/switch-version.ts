import { setTimeout as pause } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import { backoffMs } from '../../infra/runtime/retry.ts';
import type { Projection, SourceRegistry } from '../../projections/engine/projection.ts';
import { isOwn } from '../../projections/engine/store/code-version.ts';
import { sweepRetired } from '../../projections/engine/store/retire.ts';
import {
  type Version,
  type VersionGroup,
  versionsOf,
  viewOf,
} from '../../projections/engine/store/version.ts';
import { catchUp } from './catch-up.ts';
import type { Decision } from './decision.ts';
import {
  type SwitchOptions,
  type SwitchResult,
  switchOnce,
  type VersionChoice,
  VersionLagging,
} from './switch-once.ts';
import {
  countNeeded,
  endRequest,
  expire,
  HOLD_MS,
  keepRequest,
  RequestExpired,
  requestSwitch,
  type SwitchRequest,
  withSwitchLock,
} from './switch-request.ts';

const RETRY_MS = { firstMs: 100, maxMs: 2_000 };
/** How long readers may block a switch, and how long projectors of other code may outrun it. */
const TIMEOUT_MS = { readers: 120_000, projectors: 600_000 };
/** SQLSTATEs lock_not_available and deadlock_detected. */
const IN_USE: ReadonlySet<unknown> = new Set(['55P03', '40P01']);

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
 * version is live already. Waits for another process that switches the projection.
 *
 * @throws SwitchBlocked if long readers, or projectors of other code, blocked it for minutes; an error if the version is
 *   not ready or was built by other code
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
 * Swaps the previous version and the live one. A previous version of this code has every change that the live one has; one
 * of other code becomes live as it is, and projectors of that code continue from there.
 *
 * @throws SwitchBlocked if long readers, or projectors of other code, blocked it for minutes; an error if there is no
 *   previous version
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

/** Makes the chosen version live. A version that lags behind is requested first, so that the switch ends under any load. */
async function switchTo(parts: SwitchOptions, choose: VersionChoice): Promise<SwitchResult> {
  const { pool, projection } = parts;
  const switched = await withSwitchLock(pool, projection, (holder) =>
    untilUnused(projection, () => switchOnce(parts, choose)).catch((error) => {
      if (!(error instanceof VersionLagging)) throw error;
      return switchLagging(parts, choose, holder);
    }),
  );
  await sweepRetired(pool);
  return switched;
}

/** Holds the live version back until the chosen one has caught up with it, and then makes that one live. */
async function switchLagging(
  parts: SwitchOptions,
  choose: VersionChoice,
  holder: PoolClient,
): Promise<SwitchResult> {
  const { pool, projection, registry } = parts;
  const deadline = performance.now() + TIMEOUT_MS.projectors;
  for (;;) {
    const versions = await versionsOf(pool, projection.name);
    const version = choose(versions);
    if (version.state === 'live') return { version, replaced: null, lockedMs: 0 };
    const live = versions.find(({ state }) => state === 'live') ?? null;
    const isOfOtherCode = live !== null && !isOwn(live, projection);
    const request = await untilUnused(projection, () => requestSwitch(pool, version));
    try {
      const group: VersionGroup = live === null || isOfOtherCode ? [version] : [version, live];
      return await switchRequested(parts, choose, { request, group, holder: isOfOtherCode ? null : holder });
    } catch (error) {
      if (!(error instanceof RequestExpired)) throw error;
      if (performance.now() > deadline)
        throw new SwitchBlocked(
          `version ${version.id} of ${projection.name} does not catch up with the live one; start more projectors`,
        );
    } finally {
      // One that cannot be ended expires.
      await endRequest(pool, request).catch(() => {});
    }
    // Only projectors of other code serve the live version, and they catch up meanwhile.
    if (isOfOtherCode) await catchUp(pool, [version], registry, { maxLeft: 0, timeoutMs: HOLD_MS });
  }
}

interface RequestedSwitch {
  readonly request: SwitchRequest;
  /** The new version, and the live one if both are written together. */
  readonly group: VersionGroup;
  /** Keeps the request as long as it has to last; null if the live version is not written meanwhile. */
  readonly holder: PoolClient | null;
}

async function switchRequested(
  parts: SwitchOptions,
  choose: VersionChoice,
  { request, group, holder }: RequestedSwitch,
): Promise<SwitchResult> {
  const { pool, projection, registry } = parts;
  const lost = new AbortController();
  const { signal } = lost;
  const onLost = (reason: unknown) => lost.abort(reason);
  const stopClock = holder === null ? expire(request, onLost) : keepRequest(holder, request, onLost);
  try {
    for (;;) {
      await catchUp(pool, group, registry, {
        maxLeft: 0,
        countLeft: () => countNeeded(pool, request),
        signal,
      });
      const switched = await untilUnused(projection, () => switchOnce(parts, choose, request)).catch(
        ifLagging,
      );
      if (switched !== null) return switched;
    }
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    stopClock();
  }
}

/** A batch of ingest that began before the request may commit after the version has caught up. */
function ifLagging(error: unknown): null {
  if (error instanceof VersionLagging) return null;
  throw error;
}

/** Repeats a step that readers or batches block. @throws SwitchBlocked if they do for minutes */
async function untilUnused<T>({ name }: Projection, work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + TIMEOUT_MS.readers;
  for (let failures = 1; ; failures++) {
    try {
      return await work();
    } catch (error) {
      if (!IN_USE.has((error as { code?: unknown }).code)) throw error;
      if (performance.now() > deadline)
        throw new SwitchBlocked(
          `${viewOf(name)} has been in use for ${TIMEOUT_MS.readers / 1_000} s without a pause; ` +
            'end the longest query or transaction (pg_stat_activity) and try again',
          { cause: error },
        );
      await pause(backoffMs(failures, RETRY_MS));
    }
  }
}
