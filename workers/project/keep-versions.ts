import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { isTransient } from '../../db/is-transient.ts';
import { projections } from '../../projections/index.ts';
import type { Projection, SourceRegistry } from '../../projections/projection.ts';
import { projectionFingerprint } from '../../projections/store/fingerprint.ts';
import { pause } from '../until-it-works.ts';
import type { BuildProgress } from './build/build-documents.ts';
import { OtherBuild } from './build/join-build.ts';
import { type Built, buildVersion } from './build-version.ts';
import { type BuildStep, type DecidedVersion, decideBuild, type RebuildMode } from './decide-build.ts';
import { BY_ITSELF } from './decision.ts';
import { NotSwitched } from './switch-version.ts';

export interface KeepOptions {
  readonly mode: RebuildMode;
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly onProgress?: (projection: Projection, progress: BuildProgress) => void;
}

/** How long other code may go on building before we look again, and how long a lost database is left alone. */
const LOOK_AGAIN_MS = 5_000;
const LOG_EVERY_MS = 10_000;

/**
 * Sees to it that every projection has documents of this code, one after the other, and ends when it has or the signal
 * is aborted. Several processes that do so at once build together. Never fails: what cannot be built is logged.
 */
export async function keepVersions(
  pool: Pool,
  registry: SourceRegistry,
  options: KeepOptions,
): Promise<void> {
  const { signal } = options;
  let waiting: readonly Projection[] = projections;
  for (let isFirst = true; waiting.length > 0 && !signal.aborted; isFirst = false) {
    if (!isFirst) await pause(LOOK_AGAIN_MS, signal);
    const left: Projection[] = [];
    for (const projection of waiting) {
      if (!(await keepVersion(pool, projection, registry, { ...options, isFirst }))) left.push(projection);
    }
    waiting = left;
  }
}

/** What is to be done for a projection at the moment. */
async function nextStep(pool: Pool, { name }: Projection, mode: RebuildMode): Promise<BuildStep> {
  const { rows } = await pool.query<DecidedVersion>(
    `select id, projection, state, fingerprint, promote_when_ready as "promoteWhenReady"
     from projection.version where projection = $1 and state <> 'retired'`,
    [name],
  );
  return decideBuild(rows, projectionFingerprint({ name }), mode);
}

/** Answers whether the projection needs no more looking after. */
async function keepVersion(
  pool: Pool,
  projection: Projection,
  registry: SourceRegistry,
  { mode, log, signal, onProgress = () => {}, isFirst }: KeepOptions & { readonly isFirst: boolean },
): Promise<boolean> {
  const about = { projection: projection.name };
  try {
    const step = await nextStep(pool, projection, mode);
    if (step.step === 'leave') log.warn(about, step.why);
    if (step.step !== 'build') return true;
    log.info(about, 'building documents of this code');
    const tell = progressLog(log, projection);
    const built = await buildVersion(pool, projection, registry, {
      promote: step.promote,
      replaceAbandoned: true,
      unlessLive: true,
      decision: { ...BY_ITSELF, reason: 'there were no documents of this code' },
      signal,
      onProgress(progress) {
        tell(progress);
        onProgress(projection, progress);
      },
      onPause: () => log.info(about, 'the build is paused'),
      onRetry: (error, waitMs) =>
        log.warn({ ...about, err: error, waitMs }, 'the build waits for the database'),
    });
    log.info(
      factsOf(built),
      built.version.state === 'live' ? 'built and promoted' : 'built, and waits to be promoted',
    );
    return true;
  } catch (error) {
    if (signal.aborted) return true;
    if (error instanceof OtherBuild) {
      if (isFirst) log.info({ ...about, reason: error.message }, 'waiting for another build');
      return false;
    }
    if (error instanceof NotSwitched) {
      log.warn({ ...about, reason: error.message }, 'cannot be promoted yet; trying again');
      return false;
    }
    if (isTransient(error)) {
      log.warn({ ...about, err: error }, 'versions cannot be looked at; trying again');
      return false;
    }
    log.error({ ...about, err: error }, 'cannot be built');
    return true;
  }
}

const factsOf = ({ version, report }: Built): object => ({
  projection: version.projection,
  version: version.id,
  ...(report && { equal: report.equal, changed: report.changed, added: report.added, gone: report.gone }),
});

/** Logs progress now and then, with documents a second and seconds left. */
function progressLog(log: Logger, { name }: Projection): (progress: BuildProgress) => void {
  let first: { at: number; done: number } | null = null;
  let loggedAt = performance.now();
  return ({ done, total }) => {
    const now = performance.now();
    first ??= { at: now, done };
    if (now - loggedAt < LOG_EVERY_MS) return;
    loggedAt = now;
    const perSecond = (done - first.done) / ((now - first.at) / 1_000);
    const secondsLeft = perSecond > 0 ? Math.round((total - done) / perSecond) : null;
    log.info({ projection: name, done, total, perSecond: Math.round(perSecond), secondsLeft }, 'building');
  };
}
