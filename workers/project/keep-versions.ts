import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { isTransient } from '../../db/is-transient.ts';
import { pause } from '../../infra/runtime/retry.ts';
import { throttle } from '../../infra/runtime/throttle.ts';
import type { Projection, SourceRegistry } from '../../projections/engine/projection.ts';
import { codeVersion } from '../../projections/engine/store/code-version.ts';
import { VERSION_COLUMNS } from '../../projections/engine/store/version.ts';
import { projections } from '../../projections/index.ts';
import type { BuildProgress } from './build/build-documents.ts';
import { OtherBuild } from './build/join-build.ts';
import { type BuildResult, buildVersion } from './build-version.ts';
import { type BuildStep, type DecidedVersion, decideBuild, type RebuildMode } from './decide-build.ts';
import { AUTOMATIC } from './decision.ts';
import { SwitchBlocked } from './switch-version.ts';

export interface KeepVersionsOptions {
  readonly mode: RebuildMode;
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly onProgress?: (projection: Projection, progress: BuildProgress) => void;
}

/** Pause while other code builds, or the database is unavailable. */
const RETRY_MS = 5_000;
const LOG_EVERY_MS = 10_000;

/**
 * Builds documents of this code for every projection, one after the other. Ends when all have them or the signal
 * aborts. Concurrent processes build together. Never throws: it logs what it cannot build.
 */
export async function keepVersions(
  pool: Pool,
  registry: SourceRegistry,
  options: KeepVersionsOptions,
): Promise<void> {
  const { signal } = options;
  let waiting: readonly Projection[] = projections;
  for (let isFirst = true; waiting.length > 0 && !signal.aborted; isFirst = false) {
    if (!isFirst) await pause(RETRY_MS, signal);
    const left: Projection[] = [];
    for (const projection of waiting) {
      if (!(await keepVersion(pool, projection, registry, { ...options, isFirst }))) left.push(projection);
    }
    waiting = left;
  }
}

async function nextStep(pool: Pool, projection: Projection, mode: RebuildMode): Promise<BuildStep> {
  const { rows } = await pool.query<DecidedVersion>(
    `select ${VERSION_COLUMNS}, promote_when_ready as "promoteWhenReady"
     from projection.version where projection = $1 and state <> 'retired'`,
    [projection.name],
  );
  return decideBuild(rows, codeVersion(projection), mode);
}

/** Returns false if it has to be called again later. */
async function keepVersion(
  pool: Pool,
  projection: Projection,
  registry: SourceRegistry,
  { mode, log, signal, onProgress = () => {}, isFirst }: KeepVersionsOptions & { readonly isFirst: boolean },
): Promise<boolean> {
  const context = { projection: projection.name };
  try {
    const step = await nextStep(pool, projection, mode);
    if (step.step === 'leave') log.warn(context, step.why);
    if (step.step !== 'build') return true;
    log.info(context, 'building documents of this code');
    const logProgress = progressLog(log, projection);
    const built = await buildVersion(pool, projection, registry, {
      promote: step.promote,
      replaceAbandoned: true,
      unlessLive: true,
      decision: { ...AUTOMATIC, reason: 'there were no documents of this code' },
      signal,
      onProgress(progress) {
        logProgress(progress);
        onProgress(projection, progress);
      },
      onPause: () => log.info(context, 'the build is paused'),
      onOutage: (error, waitMs) =>
        log.warn({ ...context, err: error, waitMs }, 'the build waits for the database'),
    });
    log.info(
      factsOf(built),
      built.version.state === 'live' ? 'built and promoted' : 'built; waiting for promotion',
    );
    return true;
  } catch (error) {
    if (signal.aborted) return true;
    if (error instanceof OtherBuild) {
      if (isFirst) log.info({ ...context, reason: error.message }, 'waiting for another build');
      return false;
    }
    if (error instanceof SwitchBlocked) {
      log.warn({ ...context, reason: error.message }, 'cannot be promoted yet; retrying');
      return false;
    }
    if (isTransient(error)) {
      log.warn({ ...context, err: error }, 'cannot read the versions; retrying');
      return false;
    }
    log.error({ ...context, err: error }, 'cannot be built');
    return true;
  }
}

const factsOf = ({ version, report }: BuildResult): object => ({
  projection: version.projection,
  version: version.id,
  ...(report && { equal: report.equal, changed: report.changed, added: report.added, gone: report.gone }),
});

/** Logs progress every ten seconds, with documents per second and seconds left. */
function progressLog(log: Logger, { name }: Projection): (progress: BuildProgress) => void {
  let first: { at: number; done: number } | null = null;
  const throttled = throttle(LOG_EVERY_MS);
  throttled(() => {});
  return ({ done, total }) => {
    first ??= { at: performance.now(), done };
    const { at, done: doneBefore } = first;
    throttled(() => {
      const perSecond = (done - doneBefore) / ((performance.now() - at) / 1_000);
      const secondsLeft = perSecond > 0 ? Math.round((total - done) / perSecond) : null;
      log.info({ projection: name, done, total, perSecond: Math.round(perSecond), secondsLeft }, 'building');
    });
  };
}
