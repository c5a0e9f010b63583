import { Type } from '@sinclair/typebox';
import { IMPORT_CHANNEL } from '../../projections/taste/import-channel.ts';
import { readTasteSettings } from '../taste/config.ts';
import { runImports } from '../taste/run-imports.ts';
import { upstreamsOf } from '../taste/upstreams.ts';
import { defineJob } from './define-job.ts';

/** After which a run leaves the rest to the next one. */
const RUN_MS = 10 * 60_000;

/**
 * Imports what people have connected, as soon as that is announced. The imports are rows of the database, so that none is
 * lost with the queue: every minute it looks for those that nobody announced, or that wait for another try.
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
    const upstreams = upstreamsOf(settings);
    const counts = await runImports({
      pool,
      log,
      upstreams,
      mostPages: settings.mostPages,
      runMs: RUN_MS,
      signal,
    });
    return { ...counts };
  },
});
