import { Type } from '@sinclair/typebox';
import { rematch } from '../taste/rematch.ts';
import { defineJob } from './define-job.ts';

/** Repeats the matching of imported accounts when identities have changed or another version of them is live. */
export const tasteRematch = defineJob({
  name: 'taste-rematch',
  schedule: '*/5 * * * *',
  attempts: 3,
  backoff: 60_000,
  timeout: 2 * 3_600_000,
  data: Type.Object({}, { additionalProperties: false }),
  async run({ pool, signal }) {
    const matched = await rematch(pool, signal);
    return matched === null ? { changed: 0 } : { ...matched };
  },
});
