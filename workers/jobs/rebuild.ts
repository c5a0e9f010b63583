import { type Static, Type } from '@sinclair/typebox';
import { registerSources } from '../../projections/engine/registry.ts';
import { projectionByName, projections } from '../../projections/index.ts';
import { buildVersion } from '../project/build-version.ts';
import { AUTOMATIC } from '../project/decision.ts';
import { defineJob } from './define-job.ts';

const RebuildRequest = Type.Object(
  {
    projection: Type.String({ pattern: `^(${projections.map(({ name }) => name).join('|')})$` }),
    /** Promotes the version once it is built. */
    promote: Type.Boolean({ default: false }),
    /** Drops the documents of an interrupted build instead of resuming it. */
    fromScratch: Type.Boolean({ default: false }),
    decision: Type.Object(
      { actor: Type.String(), reason: Type.Union([Type.String(), Type.Null()]) },
      { default: { ...AUTOMATIC }, additionalProperties: false },
    ),
  },
  { additionalProperties: false },
);

export type RebuildRequest = Static<typeof RebuildRequest>;

/** Builds a version of a projection beside the live one, and compares the two. */
export const rebuild = defineJob({
  name: 'rebuild',
  schedule: null,
  attempts: 5,
  backoff: 10_000,
  timeout: 24 * 3_600_000,
  data: RebuildRequest,
  async run({ pool, log, signal, resumed, progress }, { projection: name, promote, fromScratch, decision }) {
    const projection = projectionByName.get(name);
    if (projection === undefined) throw new Error(`unknown projection ${name}`);
    const { version, report } = await buildVersion(pool, projection, await registerSources(pool), {
      promote,
      // A retry keeps the documents that its own request has built.
      fromScratch: fromScratch && !resumed,
      decision,
      signal,
      onProgress: ({ done, total }) => progress(done, total),
      onPause: () => log.info({ projection: name }, 'the build is paused'),
      onOutage: (error, waitMs) =>
        log.warn({ err: error, waitMs }, 'the database is unavailable; the build waits'),
    });
    const differences =
      report === null
        ? {}
        : { equal: report.equal, changed: report.changed, added: report.added, gone: report.gone };
    return { projection: name, version: version.id, state: version.state, ...differences };
  },
});
