import { tastemakersIndex } from '../../projections/models/tastemakers/compute.ts';
import { defineIndexJob } from './define-index-job.ts';

/** Publishes the tastemakers of the day, after the nightly refresh of their producers. */
export const tastemakers = defineIndexJob(tastemakersIndex, '10 4 * * *');
