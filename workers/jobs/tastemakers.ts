import { tastemakersIndex } from '../../projections/tastemakers/compute.ts';
import { defineIndexJob } from './define-index-job.ts';

/** Publishes the tastemakers of the day, behind the producers who refresh by night. */
export const tastemakers = defineIndexJob(tastemakersIndex, '10 4 * * *');
