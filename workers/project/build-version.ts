import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import { recordAudit } from '../../db/audit.ts';
import { isTransient } from '../../db/is-transient.ts';
import type { Projection, SourceRegistry } from '../../projections/projection.ts';
import { projectionFingerprint } from '../../projections/store/fingerprint.ts';
import { sweepRetired } from '../../projections/store/retire.ts';
import { findVersion, liveVersion, type Version } from '../../projections/store/version.ts';
import { backoffMs } from '../backoff.ts';
import { type BuildProgress, buildDocuments } from './build/build-documents.ts';
import type { Comparison } from './build/compare-versions.ts';
import { byTurns, finishBuild } from './build/finish-build.ts';
import { type GiveWay, giveWayTo } from './build/give-way.ts';
import { discardUnserved, joinBuild, type Part } from './build/join-build.ts';
import { planRanges } from './build/ranges.ts';
import { readReport, reportOn } from './build/report.ts';
import { catchUp } from './catch-up.ts';
import { BY_ITSELF, type Decision } from './decision.ts';
import { drain } from './drain.ts';
import { promoteVersion } from './switch-version.ts';

export interface BuildOptions {
  /** Whether the version is put in the place of the live one when it is through. Where there is no live one, it always is. */
  readonly promote?: boolean;
  /** Drops what an earlier build of this code has left, finished or not, instead of going on with it. */
  readonly fromScratch?: boolean;
  /** Whether a build of other code that nobody works on any more is dropped rather than a reason to refuse. */
  readonly replaceAbandoned?: boolean;
  /** Ends at once where the live version is of this code, instead of building another. */
  readonly unlessLive?: boolean;
  readonly decision?: Decision;
  /** Ends the build after the ranges in hand; what is built stays. */
  readonly signal?: AbortSignal | undefined;
  /** The documents of all builders together; `done` begins with what earlier ones have built. */
  readonly onProgress?: (progress: BuildProgress) => void;
  /** Told how many marked documents are left to take up when all are built. */
  readonly onCatchUp?: (left: number) => void;
  /** Told when the build is found to be paused. */
  readonly onPause?: () => void;
  /** Told when the database is away, and the build waits for it. */
  readonly onRetry?: (error: unknown, waitMs: number) => void;
}

/** What a build came to. */
export interface Built {
  readonly version: Version;
  /** Against the version that was live; null where there was none. */
  readonly report: Comparison | null;
}

/** Of a pool that builds: one holds the part in the build, two build ranges, one looks after the rest. */
export const BUILD_CONNECTIONS = 4;

const RETRY_MS = { first: 200, most: 10_000 };
/** Marked documents that may be left, and how long they are worked off, before the version is compared with the live one. */
const FEW_MARKS = 500;
const SETTLE_MS = 1_000;

/**
 * Builds all documents of a projection from the mirror beside the version that is served, in company with whoever else
 * is building it, catches up on what changed meanwhile and compares the two. A build that broke off goes on where it
 * was; one that a lost database interrupts waits for it.
 *
 * @throws OtherBuild while other code builds the projection; the signal's reason when it is aborted
 */
export async function buildVersion(
  pool: Pool,
  projection: Projection,
  registry: SourceRegistry,
  options: BuildOptions = {},
): Promise<Built> {
  const { signal, onProgress = () => {}, onRetry = () => {} } = options;
  let fromScratch = options.fromScratch ?? false;
  let mine: Version | null = null;
  let failures = 0;
  const onward: BuildOptions = {
    ...options,
    onProgress(progress) {
      failures = 0;
      onProgress(progress);
    },
  };
  for (;;) {
    try {
      if (fromScratch) await discardUnserved(pool, projection, projectionFingerprint(projection));
      fromScratch = false;
      await sweepRetired(pool);
      const through: Built | null = mine === null ? null : await findThrough(pool, mine);
      if (through !== null) return through;
      const built = await buildOnce(pool, projection, registry, onward, async (part) => {
        if (mine === null) await noteJoining(pool, part, options);
        mine = part.version;
      });
      await sweepRetired(pool);
      return built;
    } catch (error) {
      signal?.throwIfAborted();
      if (!isTransient(error)) throw error;
      failures++;
      const waitMs = backoffMs(failures, RETRY_MS);
      onRetry(error, waitMs);
      await pause(waitMs, undefined, { signal }).catch(() => {});
      signal?.throwIfAborted();
    }
  }
}

/** Builds a projection anew whatever there is, puts it in the place of what is served, and drops all other versions. */
export async function rebuild(
  pool: Pool,
  projection: Projection,
  registry: SourceRegistry,
  options: Pick<BuildOptions, 'onProgress'> = {},
): Promise<Version> {
  const { onProgress = () => {} } = options;
  const { version } = await buildVersion(pool, projection, registry, {
    promote: true,
    fromScratch: true,
    onProgress,
  });
  await pool.query(
    `update projection.version set state = 'retired' where projection = $1 and state = 'previous'`,
    [projection.name],
  );
  await sweepRetired(pool);
  return version;
}

async function buildOnce(
  pool: Pool,
  projection: Projection,
  registry: SourceRegistry,
  options: BuildOptions,
  onJoin: (part: Part) => Promise<void>,
): Promise<Built> {
  const part = await joinBuild(pool, projection, {
    fingerprint: projectionFingerprint(projection),
    replaceAbandoned: options.replaceAbandoned ?? false,
    anew: !options.unlessLive,
  });
  let isSound = false;
  try {
    await onJoin(part);
    const built = await bringThrough(pool, projection, part, registry, options);
    isSound = true;
    return built;
  } finally {
    await part.leave(isSound);
  }
}

/** All that is left to do for a version, from whatever state it is in. */
async function bringThrough(
  pool: Pool,
  projection: Projection,
  part: Part,
  registry: SourceRegistry,
  options: BuildOptions,
): Promise<Built> {
  const { id, state } = part.version;
  const { signal } = options;
  const ending = signal === undefined ? part.lost : AbortSignal.any([signal, part.lost]);
  const giveWay = giveWayTo(pool, ending);
  if (state === 'building')
    await buildAll(pool, projection, part, registry, { ...options, signal: ending, giveWay });
  await catchUp(pool, part.version, registry, {
    atMost: FEW_MARKS,
    behind: await liveVersion(pool, projection.name),
    giveWay,
    signal,
    onLeft: options.onCatchUp,
  });
  // Brings both to rest, as far as changes allow.
  await drain(pool, registry, AbortSignal.timeout(SETTLE_MS));
  const report = await byTurns(part, () => reportOn(pool, part.version, state === 'ready'));
  if (await isToBePromoted(pool, part.version))
    await promoteVersion(pool, projection, registry, id, options.decision ?? BY_ITSELF);
  return { version: (await findVersion(pool, id)) ?? part.version, report };
}

/** What a build came to that was through before the database was lost; null where it is not. */
async function findThrough(pool: Pool, { id, projection }: Version): Promise<Built | null> {
  const version = await findVersion(pool, id);
  if (version === null)
    throw new Error(`version ${id} of ${projection} was dropped while the database was away`);
  if (version.state === 'building' || version.state === 'ready') return null;
  return { version, report: await readReport(pool, id) };
}

async function noteJoining(
  pool: Pool,
  { version }: Part,
  { promote = false, decision = BY_ITSELF }: BuildOptions,
): Promise<void> {
  await recordAudit(pool, {
    ...decision,
    action: 'rebuild',
    target: version.projection,
    detail: { version: version.id, state: version.state, promote },
  });
  if (!promote) return;
  await pool.query('update projection.version set promote_when_ready = true where id = $1', [version.id]);
}

async function buildAll(
  pool: Pool,
  projection: Projection,
  part: Part,
  registry: SourceRegistry,
  {
    signal,
    giveWay,
    onProgress = () => {},
    onPause = () => {},
  }: BuildOptions & { readonly signal: AbortSignal; readonly giveWay: GiveWay },
): Promise<void> {
  const { version } = part;
  const total = await planRanges(pool, projection, version, registry);
  await buildDocuments(pool, {
    projection,
    version,
    registry,
    total,
    signal,
    giveWay,
    onProgress,
    onPause,
  });
  await finishBuild(pool, part);
}

async function isToBePromoted(pool: Pool, { id, projection }: Version): Promise<boolean> {
  const { rows } = await pool.query<{ promote: boolean }>(
    `select promote_when_ready or not exists (
       select from projection.version where projection = $2 and state = 'live') as promote
     from projection.version where id = $1 and state = 'ready'`,
    [id, projection],
  );
  return rows[0]?.promote ?? false;
}
