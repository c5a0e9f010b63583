import { type Static, Type } from '@sinclair/typebox';
import { projectionByName, projections } from '../../projections/index.ts';
import { registerSources } from '../../projections/registry.ts';
import { buildVersion } from '../project/build-version.ts';
import { BY_ITSELF } from '../project/decision.ts';
import { defineJob } from './define-job.ts';

const RebuildRequest = Type.Object(
  {
    projection: Type.String({ pattern: `^(${projections.map(({ name }) => name).join('|')})$` }),
    /** Puts the version in the place of the live one when it is through. */
    promote: Type.Boolean({ default: false }),
    /** Drops what an earlier build has left instead of going on with it. */
    fromScratch: Type.Boolean({ default: false }),
    decision: Type.Object(
      { actor: Type.String(), reason: Type.Union([Type.String(), Type.Null()]) },
      { default: { ...BY_ITSELF }, additionalProperties: false },
    ),
  },
  { additionalProperties: false },
);

export type RebuildRequest = Static<typeof RebuildRequest>;

/** Builds a version of a projection beside the one that is served, and compares the two. */
export const rebuild = defineJob({
  name: 'rebuild',
  schedule: null,
  attempts: 5,
  backoff: 10_000,
  timeout: 24 * 3_600_000,
  data: RebuildRequest,
  async run({ pool, log, signal, resumed, progress }, { projection: name, promote, fromScratch, decision }) {
    const projection = projectionByName.get(name);
    if (projection === undefined) throw new Error(`there is no projection ${name}`);
    const { version, report } = await buildVersion(pool, projection, await registerSources(pool), {
      promote,
      // What this very request has built so far is not dropped again.
      fromScratch: fromScratch && !resumed,
      decision,
      signal,
      onProgress: ({ done, total }) => progress(done, total),
      onPause: () => log.info({ projection: name }, 'the build is paused'),
      onRetry: (error, waitMs) => log.warn({ err: error, waitMs }, 'the build waits for the database'),
    });
    const differences =
      report === null
        ? {}
        : { equal: report.equal, changed: report.changed, added: report.added, gone: report.gone };
    return { projection: name, version: version.id, state: version.state, ...differences };
  },
});
