import type { Pool } from 'pg';
import { newestGeneration } from '../../projections/search/generation.ts';
import { keepGeneration } from '../../workers/jobs/search-generation/keep-generation.ts';
import { type Progress, startProgress } from './progress.ts';

/** Builds the first generation of the search index; later ones are made in the background. */
export async function indexFirst(pool: Pool): Promise<void> {
  if ((await newestGeneration(pool)) !== null) return;
  const shown: { bar: Progress | null; done: number } = { bar: null, done: 0 };
  await keepGeneration(pool, {
    onProgress(done, total) {
      shown.bar ??= startProgress('Indexing the search', total, 'documents');
      shown.bar.advance(done - shown.done);
      shown.done = done;
    },
  });
  shown.bar?.done();
}
