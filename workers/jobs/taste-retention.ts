import { Type } from '@sinclair/typebox';
import { readTasteSettings } from '../taste/config.ts';
import { purgeTaste } from '../taste/purge.ts';
import { defineJob } from './define-job.ts';

/** Removes expired codes, tokens, imports, accounts and persons. */
export const tasteRetention = defineJob({
  name: 'taste-retention',
  schedule: '47 3 * * *',
  attempts: 5,
  backoff: 60_000,
  timeout: 2 * 3_600_000,
  data: Type.Object({}, { additionalProperties: false }),
  run: async ({ pool, signal }) => ({ ...(await purgeTaste(pool, readTasteSettings(), signal)) }),
});
