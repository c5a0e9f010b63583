import type { Job } from './define-job.ts';
import { rebuild } from './rebuild.ts';
import { retention } from './retention.ts';

/** Every background job. One that is no longer listed loses its schedule when a worker starts. */
export const jobs: readonly Job[] = [rebuild, retention];

export const jobByName: ReadonlyMap<string, Job> = new Map(jobs.map((job) => [job.name, job]));
