import { breakoutsIndex } from '../../projections/breakouts/compute.ts';
import { defineIndexJob } from './define-index-job.ts';

/** Publishes the breakouts anew when a row of momentum or press has changed, so that they say what the dossiers say. */
export const breakouts = defineIndexJob(breakoutsIndex, '*/5 * * * *');
