import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Projection, SourceRegistry } from '../../projections/projection.ts';
import { sweepRetired } from '../../projections/store/retire.ts';
import { type Version, versionsOf, viewOf } from '../../projections/store/version.ts';
import { backoffMs } from '../backoff.ts';
import { catchUp } from './catch-up.ts';
import type { Decision } from './decision.ts';
import {
  type Choice,
  isOwn,
  StillBehind,
  type Switched,
  type SwitchParts,
  switchOnce,
} from './switch-once.ts';

const RETRY_MS = { first: 100, most: 2_000 };
const PATIENCE_MS = 120_000;
/** SQLSTATEs lock_not_available and deadlock_detected. */
const IN_USE: ReadonlySet<unknown> = new Set(['55P03', '40P01']);

/** Marked documents that are projected in the transaction of the switch, while projectors stand by. */
const MOST_LEFT = { first: 500, most: 16_000 };
/** How long a version is brought near before more are left to that transaction. */
const CATCH_UP_MS = 5_000;

/** The version cannot be put in its place at the moment, and may be later. */
export class NotSwitched extends Error {
  override readonly name = 'NotSwitched';
}

/**
 * Puts a ready version in the place of the live one, in one transaction, when it has taken up every change that the live
 * one has: no answer is older after the switch than before. The live one becomes the previous one; the previous one
 * goes. A version that is live already is left as it is.
 *
 * @throws NotSwitched where long readers or a flood of changes kept it off for minutes; an error where the version is
 *   not ready or was made by other code
 */
export async function promoteVersion(
  pool: Pool,
  projection: Projection,
  registry: SourceRegistry,
  id: number,
  decision: Decision,
): Promise<Switched> {
  return switchTo({ pool, projection, registry, action: 'promote', decision }, (versions) => {
    const version = versions.find((one) => one.id === id);
    if (version?.state === 'live') return version;
    if (version?.state !== 'ready')
      throw new Error(`version ${id} of ${projection.name} is ${version?.state ?? 'gone'}, not ready`);
    if (!isOwn(version))
      throw new Error(
        `version ${id} of ${projection.name} was made by other code, which alone can bring it up to date`,
      );
    return version;
  });
}

/**
 * Puts the previous version back in the place of the live one, and that in its place. One of other code is put back as
 * it is, and its own projectors go on from there.
 *
 * @throws NotSwitched where long readers kept it off for minutes; an error where there is no previous version
 */
export async function rollBack(
  pool: Pool,
  projection: Projection,
  registry: SourceRegistry,
  decision: Decision,
): Promise<Switched> {
  // Looked for once, so that a second try does not roll the first one back.
  const { id } = previousOf(projection, await versionsOf(pool, projection.name));
  return switchTo({ pool, projection, registry, action: 'rollback', decision }, (versions) => {
    const version = versions.find((one) => one.id === id);
    if (version?.state === 'previous') return version;
    throw new Error(
      `version ${id} of ${projection.name} is ${version?.state ?? 'gone'} by now, not previous`,
    );
  });
}

function previousOf({ name }: Projection, versions: readonly Version[]): Version {
  const previous = versions.find(({ state }) => state === 'previous');
  if (previous === undefined) throw new Error(`${name} has no previous version to go back to`);
  return previous;
}

/** Has all projectors work on a version before the live one, while changes come in faster than they take up those of both. */
async function favour(pool: Pool, { id }: Version): Promise<void> {
  await pool.query(
    `update projection.version set favoured_until = now() + make_interval(secs => $2) where id = $1`,
    [id, (2 * CATCH_UP_MS) / 1_000],
  );
}

async function switchTo(parts: SwitchParts, choose: Choice): Promise<Switched> {
  const { pool, projection, registry, action } = parts;
  const giveUpAt = performance.now() + PATIENCE_MS;
  let mostLeft = MOST_LEFT.first;
  for (let failures = 1; ; failures++) {
    const version = choose(await versionsOf(pool, projection.name));
    if (action === 'promote' && version.state === 'ready')
      await catchUp(pool, version, registry, { atMost: mostLeft / 2, patienceMs: CATCH_UP_MS });
    try {
      const switched = await switchOnce(parts, choose, mostLeft);
      await sweepRetired(pool);
      return switched;
    } catch (error) {
      if (error instanceof StillBehind) {
        // Where changes come faster than they are made up for, the projectors have to stand by for longer.
        mostLeft = Math.min(mostLeft * 2, MOST_LEFT.most);
        if (performance.now() > giveUpAt) throw new NotSwitched(error.message);
        await favour(pool, version);
      } else if (!IN_USE.has((error as { code?: unknown }).code)) {
        throw error;
      } else if (performance.now() > giveUpAt) {
        throw new NotSwitched(
          `${viewOf(projection.name)} has been in use for ${PATIENCE_MS / 1_000} s without a gap; ` +
            'end the longest query or transaction (pg_stat_activity) and try again',
          { cause: error },
        );
      } else {
        await pause(backoffMs(failures, RETRY_MS));
      }
    }
  }
}
