import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { SourceRegistry } from '../../projections/projection.ts';
import { keepVersions } from '../../workers/project/keep-versions.ts';
import { type ShownBuild, showBuild } from './show-build.ts';

export interface Renewal {
  /** Whether a bar is shown, beside which nothing else should be written. */
  isShown(): boolean;
  /** Ends after the documents in hand; the next start goes on with it. */
  stop(): Promise<void>;
}

/** Builds documents of this code beside those of other code, and promotes them, while the API answers from the old. */
export function renewInBackground(pool: Pool, registry: SourceRegistry, log: Logger): Renewal {
  const ending = new AbortController();
  const shown = new Map<string, ShownBuild>();
  const renewing = keepVersions(pool, registry, {
    mode: 'promote',
    log,
    signal: ending.signal,
    onProgress({ name }, progress) {
      const isThrough = progress.done === progress.total;
      const build = shown.get(name) ?? (isThrough ? null : showBuild(name));
      build?.listeners.onProgress(progress);
      if (isThrough) {
        build?.end();
        shown.delete(name);
      } else if (build !== null) shown.set(name, build);
    },
  }).finally(() => {
    for (const build of shown.values()) build.end();
  });
  return {
    isShown: () => shown.size > 0,
    async stop() {
      ending.abort();
      await renewing;
    },
  };
}
