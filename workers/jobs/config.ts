import { Type } from '@sinclair/typebox';
import { WorkerConfig } from '../../infra/runtime/config.ts';

export const JobsConfig = Type.Composite([
  WorkerConfig,
  Type.Object({
    REDIS_URL: Type.Optional(
      Type.String({ description: 'Redis of the job queue. Without it the queue is in the database.' }),
    ),
    REDIS_PREFIX: Type.Optional(
      Type.String({ description: 'Separates installations that share one Redis.' }),
    ),
    JOB_LOCK_MS: Type.Integer({
      default: 30_000,
      minimum: 100,
      description: 'Another worker takes over the job of a worker that is silent for this long.',
    }),
  }),
]);
