import { aura } from './aura.ts';
import { breakouts } from './breakouts.ts';
import type { Job } from './define-job.ts';
import { rebuild } from './rebuild.ts';
import { retention } from './retention.ts';
import { searchGeneration } from './search-generation.ts';
import { tasteImport } from './taste-import.ts';
import { tasteRematch } from './taste-rematch.ts';
import { tasteRetention } from './taste-retention.ts';
import { tastemakers } from './tastemakers.ts';

/** Every background job. A job that is no longer listed loses its schedule when a worker starts. */
export const jobs: readonly Job[] = [
  aura,
  breakouts,
  rebuild,
  retention,
  searchGeneration,
  tasteImport,
  tasteRematch,
  tasteRetention,
  tastemakers,
];

export const jobByName: ReadonlyMap<string, Job> = new Map(jobs.map((job) => [job.name, job]));
