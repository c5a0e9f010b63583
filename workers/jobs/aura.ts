import { auraIndex } from '../../projections/aura/compute.ts';
import { defineIndexJob } from './define-index-job.ts';

/** Publishes aura anew when the day or a row it reads has changed. The first run of a day sees the new day at once. */
export const aura = defineIndexJob(auraIndex, '*/5 * * * *');
