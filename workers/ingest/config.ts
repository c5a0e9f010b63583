import { Type } from '@sinclair/typebox';
import { WorkerConfig } from '../../infra/runtime/config.ts';
import { LimitsConfig } from './record-limits.ts';
import { SchemaRegistryConfig } from './schemas/config.ts';
import { SWEEP_MODES } from './sweeps/sweep.ts';

export const IngestConfig = Type.Composite([
  WorkerConfig,
  LimitsConfig,
  SchemaRegistryConfig,
  Type.Object({
    KAFKA_BROKERS: Type.String({ minLength: 1, description: 'Brokers as `host:port`, separated by commas.' }),
    KAFKA_GROUP: Type.String({ default: 'linernotes-ingest', description: 'Consumer group of the workers.' }),
    TOPIC_PREFIX: Type.String({
      default: 'producers',
      pattern: '^[A-Za-z0-9._-]+( *, *[A-Za-z0-9._-]+)*$',
      description:
        'First part of the topics `<TOPIC_PREFIX>.<schema>.<table>`; those of several connectors are separated by commas.',
    }),
    HEARTBEAT_INTERVAL_MS: Type.Optional(
      Type.Integer({
        minimum: 100,
        description:
          'Time between heartbeats of every connector, its `heartbeat.interval.ms`. Default: learnt from each.',
      }),
    ),
    KAFKA_SESSION_TIMEOUT_MS: Type.Integer({
      default: 30_000,
      description: 'How long the group waits for a silent member before it reassigns its partitions.',
    }),
    SNAPSHOT_SWEEPS: Type.Union(
      SWEEP_MODES.map((mode) => Type.Literal(mode)),
      {
        default: 'counted',
        description:
          'Rows that a connector’s snapshot lacks: `counted` removes them, more than 5 % of a table only if the connector reported as many rows as arrived; `limited` removes at most 5 %; `off` leaves them to `sweeps run`.',
      },
    ),
    KAFKA_TLS: Type.Boolean({ default: false, description: 'Connect to the brokers with TLS.' }),
    KAFKA_SASL_MECHANISM: Type.Optional(
      Type.Union([Type.Literal('plain'), Type.Literal('scram-sha-256'), Type.Literal('scram-sha-512')], {
        description: 'SASL mechanism. Without it the worker does not authenticate.',
      }),
    ),
    KAFKA_SASL_USERNAME: Type.Optional(Type.String({ description: 'SASL user.' })),
    KAFKA_SASL_PASSWORD: Type.Optional(Type.String({ description: 'SASL password.' })),
  }),
]);
