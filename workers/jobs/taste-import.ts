import { Type } from '@sinclair/typebox';
import { IMPORT_CHANNEL } from '../../projections/models/taste/imports.ts';
import { configuredUpstreams, readTasteSettings } from '../taste/config.ts';
import { runImports } from '../taste/run-imports.ts';
import { defineJob } from './define-job.ts';

/** After this time a run leaves the remaining imports to the next run. */
const RUN_MS = 10 * 60_000;

/**
 * Imports the accounts that people have connected, on a notification for each. Imports are rows of the database, so a
 * lost queue loses none: every minute the job also finds imports without a notification and those due for a retry.
 */
export const tasteImport = defineJob({
  name: 'taste-import',
  schedule: '* * * * *',
  wakesOn: IMPORT_CHANNEL,
  attempts: 3,
  backoff: 10_000,
  timeout: 2 * RUN_MS,
  data: Type.Object({}, { additionalProperties: false }),
  async run({ pool, log, signal }) {
    const settings = readTasteSettings();
    const upstreams = configuredUpstreams(settings);
    const counts = await runImports({
      pool,
      log,
      upstreams,
      maxPages: settings.maxPages,
      runMs: RUN_MS,
      signal,
    });
    return { ...counts };
  },
});
