import { breakoutsIndex } from '../../projections/models/breakouts/compute.ts';
import { defineIndexJob } from './define-index-job.ts';

/** Republishes the breakouts when a row of momentum or press has changed, so that they agree with the dossiers. */
export const breakouts = defineIndexJob(breakoutsIndex, '*/5 * * * *');
