import { auraIndex } from '../../projections/models/aura/compute.ts';
import { defineIndexJob } from './define-index-job.ts';

/** Republishes aura when the day or one of its rows has changed. */
export const aura = defineIndexJob(auraIndex, '*/5 * * * *');
