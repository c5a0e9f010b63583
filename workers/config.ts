import { type Static, type TObject, Type } from '@sinclair/typebox';
import { envSchema } from 'env-schema';

/** What every worker needs to know. */
export const WorkerConfig = Type.Object({
  DATABASE_URL: Type.String({ minLength: 1 }),
  LOG_LEVEL: Type.String({ default: 'info' }),
  /** Where metrics, health and readiness are served; nowhere without a port. */
  OPS_PORT: Type.Optional(Type.Integer({ minimum: 0, maximum: 65_535 })),
  OPS_HOST: Type.String({ default: '127.0.0.1' }),
});

export const IngestConfig = Type.Composite([
  WorkerConfig,
  Type.Object({
    /** Comma-separated host:port. */
    KAFKA_BROKERS: Type.String({ minLength: 1 }),
    KAFKA_GROUP: Type.String({ default: 'linernotes-ingest' }),
    /** Topics are `<TOPIC_PREFIX>.<schema>.<table>`. */
    TOPIC_PREFIX: Type.String({ default: 'producers' }),
    /** How long the group waits for a member that fell silent. */
    KAFKA_SESSION_TIMEOUT_MS: Type.Integer({ default: 30_000 }),
    KAFKA_TLS: Type.Boolean({ default: false }),
    KAFKA_SASL_MECHANISM: Type.Optional(
      Type.Union([Type.Literal('plain'), Type.Literal('scram-sha-256'), Type.Literal('scram-sha-512')]),
    ),
    KAFKA_SASL_USERNAME: Type.Optional(Type.String()),
    KAFKA_SASL_PASSWORD: Type.Optional(Type.String()),
  }),
]);

/** Reads configuration from the environment. @throws with every setting that is missing or malformed */
export function readConfig<T extends TObject>(schema: T): Static<T> {
  return envSchema<Static<T>>({ schema });
}
