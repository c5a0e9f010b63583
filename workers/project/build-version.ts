import type { Pool } from 'pg';
import { recordAudit } from '../../db/audit.ts';
import { isTransient } from '../../db/is-transient.ts';
import { retry } from '../../infra/runtime/retry.ts';
import type { Projection, SourceRegistry } from '../../projections/engine/projection.ts';
import { sweepRetired } from '../../projections/engine/store/retire.ts';
import { findVersion, liveVersion, type Version } from '../../projections/engine/store/version.ts';
import { type BuildProgress, buildDocuments } from './build/build-documents.ts';
import type { VersionComparison } from './build/compare-versions.ts';
import { finishBuild, withFinishLock } from './build/finish-build.ts';
import { type GiveWay, giveWayTo } from './build/give-way.ts';
import { type BuildSession, discardUnserved, joinBuild } from './build/join-build.ts';
import { planRanges } from './build/ranges.ts';
import { comparisonOf, readComparison } from './build/report.ts';
import { catchUp } from './catch-up.ts';
import { AUTOMATIC, type Decision } from './decision.ts';
import { drain } from './drain.ts';
import { promoteVersion } from './switch-version.ts';

export interface BuildOptions {
  /** Whether to promote the version when it is ready. Always done if there is no live version. */
  readonly promote?: boolean;
  /** Drops what earlier builds of this code left, finished or not, instead of continuing. */
  readonly fromScratch?: boolean;
  /** Whether to drop a build of other code that has no builder, instead of throwing. */
  readonly replaceAbandoned?: boolean;
  /** Does nothing if the live version is of this code. */
  readonly unlessLive?: boolean;
  readonly decision?: Decision;
  /** Ends the build after the current ranges, which stay. */
  readonly signal?: AbortSignal | undefined;
  /** Counts the documents of all builders, earlier ones included. */
  readonly onProgress?: (progress: BuildProgress) => void;
  /** Called with the dirty marks that are left once all documents are built. */
  readonly onCatchUp?: (left: number) => void;
  /** Called when the build is paused. */
  readonly onPause?: () => void;
  /** Called when the build waits for an unavailable database. */
  readonly onOutage?: (error: unknown, waitMs: number) => void;
}

export interface BuildResult {
  readonly version: Version;
  /** The comparison with the live version; null if there was none. */
  readonly report: VersionComparison | null;
}

/** Connections of a build: one for its session, two for ranges, one for the rest. */
export const BUILD_CONNECTIONS = 4;

const BACKOFF = { firstMs: 200, maxMs: 10_000 };
/** With this many dirty marks left, both backlogs are projected for `SETTLE_MS`, and the versions are compared. */
const FEW_MARKS = 500;
const SETTLE_MS = 1_000;

/**
 * Builds all documents of a projection from the mirror into a new version, together with other builders, catches up with
 * changes made meanwhile and compares the version with the live one. Continues an interrupted build, and waits for an
 * unavailable database.
 *
 * @throws OtherBuild while other code builds the projection; the signal's reason when it aborts
 */
export async function buildVersion(
  pool: Pool,
  projection: Projection,
  registry: SourceRegistry,
  options: BuildOptions = {},
): Promise<BuildResult> {
  const { signal, onOutage: onRetry = () => {} } = options;
  let fromScratch = options.fromScratch ?? false;
  let joined: Version | null = null;
  const attempt = async (): Promise<BuildResult> => {
    if (fromScratch) await discardUnserved(pool, projection);
    fromScratch = false;
    await sweepRetired(pool);
    const finished: BuildResult | null = joined === null ? null : await findFinished(pool, joined);
    if (finished !== null) return finished;
    const built = await buildOnce({ ...options, pool, projection, registry }, async (session) => {
      if (joined === null) await recordJoin(pool, session, options);
      joined = session.version;
    });
    await sweepRetired(pool);
    return built;
  };
  return retry(attempt, {
    backoff: BACKOFF,
    signal,
    isRetryable: isTransient,
    onFailure: ({ error, retryMs }) => onRetry(error, retryMs),
  });
}

interface Build extends BuildOptions {
  readonly pool: Pool;
  readonly projection: Projection;
  readonly registry: SourceRegistry;
}

async function buildOnce(
  build: Build,
  onJoin: (session: BuildSession) => Promise<void>,
): Promise<BuildResult> {
  const { pool, projection } = build;
  const session = await joinBuild(pool, projection, {
    replaceAbandoned: build.replaceAbandoned ?? false,
    always: !build.unlessLive,
  });
  let isReusable = false;
  try {
    await onJoin(session);
    const built = await completeVersion(build, session);
    isReusable = true;
    return built;
  } finally {
    await session.leave(isReusable);
  }
}

/** Does the remaining steps for a version, whatever its state. */
async function completeVersion(build: Build, session: BuildSession): Promise<BuildResult> {
  const { pool, projection, registry, signal, decision = AUTOMATIC } = build;
  const { id, state } = session.version;
  const ended = signal === undefined ? session.lost : AbortSignal.any([signal, session.lost]);
  const giveWay = giveWayTo(pool, ended);
  if (state === 'building') await buildAll(build, session, { signal: ended, giveWay });
  await catchUp(pool, [session.version], registry, {
    maxLeft: FEW_MARKS,
    behind: await liveVersion(pool, projection.name),
    giveWay,
    signal,
    onLeft: build.onCatchUp,
  });
  // Empties the backlog of both versions, as far as changes allow.
  await drain(pool, registry, { signal: AbortSignal.timeout(SETTLE_MS) });
  const report = await withFinishLock(session, () => comparisonOf(pool, session.version, state === 'ready'));
  if (await shouldPromote(pool, session.version))
    await promoteVersion(pool, projection, registry, { id, decision });
  return { version: (await findVersion(pool, id)) ?? session.version, report };
}

/** The result of a build that finished before the database was lost; null if it did not. */
async function findFinished(pool: Pool, { id, projection }: Version): Promise<BuildResult | null> {
  const version = await findVersion(pool, id);
  if (version === null)
    throw new Error(`version ${id} of ${projection} was dropped while the database was unavailable`);
  if (version.state === 'building' || version.state === 'ready') return null;
  return { version, report: await readComparison(pool, id) };
}

async function recordJoin(
  pool: Pool,
  { version }: BuildSession,
  { promote = false, decision = AUTOMATIC }: BuildOptions,
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
  { pool, projection, registry, onProgress = () => {}, onPause = () => {} }: Build,
  session: BuildSession,
  control: { readonly signal: AbortSignal; readonly giveWay: GiveWay },
): Promise<void> {
  const { version } = session;
  const total = await planRanges(pool, { projection, version, registry });
  await buildDocuments(pool, { projection, version, registry, total, onProgress, onPause, ...control });
  await finishBuild(pool, projection, session);
}

async function shouldPromote(pool: Pool, { id, projection }: Version): Promise<boolean> {
  const { rows } = await pool.query<{ promote: boolean }>(
    `select promote_when_ready or not exists (
       select from projection.version where projection = $2 and state = 'live') as promote
     from projection.version where id = $1 and state = 'ready'`,
    [id, projection],
  );
  return rows[0]?.promote ?? false;
}
