import { Type } from '@sinclair/typebox';
import { currentDay } from '../../projections/engine/day.ts';
import { publishIndex } from '../../projections/engine/published/publish-index.ts';
import type { PublishedIndex } from '../../projections/engine/published/published-index.ts';
import { registerSources } from '../../projections/engine/registry.ts';
import { defineJob, type Job } from './define-job.ts';

/** A job that computes and publishes an index; a dated index is of the current day. @param schedule cron pattern in UTC */
export const defineIndexJob = (index: PublishedIndex, schedule: string): Job =>
  defineJob({
    name: index.name,
    schedule,
    attempts: 5,
    backoff: 60_000,
    timeout: 2 * 3_600_000,
    data: Type.Object({}, { additionalProperties: false }),
    async run({ pool, signal }) {
      const registry = await registerSources(pool);
      return { ...(await publishIndex(pool, registry, index, { day: currentDay(), signal })) };
    },
  });
