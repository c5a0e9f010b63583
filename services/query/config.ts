import { type Static, Type } from '@sinclair/typebox';
import { envSchema } from 'env-schema';
import type { LevelWithSilent } from 'pino';
import { DEFAULT_RATE_LIMITS } from './serving/rate-limits.ts';

const LEVELS: readonly LevelWithSilent[] = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];
const POSTGRES_URL = '^postgres(ql)?://';
const HTTP_URL = '^https?://';

const Environment = Type.Object({
  DATABASE_URL: Type.String({ pattern: POSTGRES_URL }),
  DATABASE_READ_URL: Type.Optional(Type.String({ pattern: POSTGRES_URL })),
  DATABASE_POOL_SIZE: Type.Integer({ minimum: 1, maximum: 1_000, default: 10 }),
  PORT: Type.Integer({ minimum: 0, maximum: 65_535, default: 8_080 }),
  HOST: Type.String({ default: '127.0.0.1' }),
  PUBLIC_URL: Type.Optional(Type.String({ pattern: HTTP_URL })),
  /** Addresses or subnets of the proxies before the service, separated by commas. */
  TRUST_PROXY: Type.Optional(Type.String()),
  RATE_LIMIT_PER_MINUTE: Type.Integer({
    minimum: 1,
    default: DEFAULT_RATE_LIMITS.perKey,
  }),
  RATE_LIMIT_ANONYMOUS_PER_MINUTE: Type.Integer({
    minimum: 1,
    default: DEFAULT_RATE_LIMITS.perAddress,
  }),
  /** Where operators find metrics, health and readiness; nothing is served there without a port. */
  OPS_PORT: Type.Optional(Type.Integer({ minimum: 0, maximum: 65_535 })),
  OPS_HOST: Type.String({ default: '127.0.0.1' }),
  LOG_LEVEL: Type.Unsafe<LevelWithSilent>({ type: 'string', enum: LEVELS, default: 'info' }),
});
export type QueryConfig = Static<typeof Environment>;

/**
 * Configuration of the query service. A blank variable counts as one that is not set.
 *
 * @throws Error naming every variable at fault
 */
export function readConfig(environment: NodeJS.ProcessEnv): QueryConfig {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim()));
  // A copy: env-schema writes into the schema it is given.
  return envSchema<QueryConfig>({
    schema: { ...Environment },
    data: given,
    env: false,
  });
}
