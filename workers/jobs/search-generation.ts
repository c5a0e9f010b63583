import { Type } from '@sinclair/typebox';
import { defineJob } from './define-job.ts';
import { withStore } from './search-generation/cluster/config.ts';
import { keepGeneration } from './search-generation/keep-generation.ts';

/** Builds a generation of the search index when the newest one is of another version or much has changed since. */
export const searchGeneration = defineJob({
  name: 'search-generation',
  schedule: '* * * * *',
  attempts: 3,
  backoff: 10_000,
  timeout: 2 * 3_600_000,
  data: Type.Object(
    {
      /** Builds a generation even if none is due. */
      force: Type.Boolean({ default: false }),
    },
    { additionalProperties: false },
  ),
  async run({ pool, signal, progress }, { force }) {
    const kept = await withStore((store) =>
      keepGeneration(pool, { force, store, signal, onProgress: progress }),
    );
    if (kept === null) return { busy: true };
    const { why, built, dropped } = kept;
    if (built === null) return { dropped };
    return { why, generation: built.id, version: built.version, documents: built.documents, dropped };
  },
});
