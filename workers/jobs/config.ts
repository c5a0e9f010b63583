import { Type } from '@sinclair/typebox';
import { WorkerConfig } from '../config.ts';

export const JobsConfig = Type.Composite([
  WorkerConfig,
  Type.Object({
    /** Where the queue is kept; without it, in the database. */
    REDIS_URL: Type.Optional(Type.String()),
    /** Keeps several installations on one Redis apart. */
    REDIS_PREFIX: Type.Optional(Type.String()),
    /** A worker that was not heard of for so long has its job taken over. */
    JOB_LOCK_MS: Type.Integer({ default: 30_000, minimum: 100 }),
  }),
]);
