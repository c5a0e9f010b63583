import { type Static, Type } from '@sinclair/typebox';
import { envSchema } from 'env-schema';
import type { LevelWithSilent } from 'pino';

const LEVELS: readonly LevelWithSilent[] = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];
export const DEFAULT_REQUESTS_PER_MINUTE = 600;
export const DEFAULT_CONSENTS_PER_MINUTE = 10;
export const DEFAULT_TASTE_PORT = 8_081;

const Environment = Type.Object({
  DATABASE_URL: Type.String({ pattern: '^postgres(ql)?://' }),
  DATABASE_POOL_SIZE: Type.Integer({ minimum: 1, maximum: 1_000, default: 10 }),
  TASTE_PORT: Type.Integer({ minimum: 0, maximum: 65_535, default: DEFAULT_TASTE_PORT }),
  TASTE_HOST: Type.String({ default: '127.0.0.1' }),
  /** Where browsers reach the service; where it listens unless set. */
  TASTE_URL: Type.Optional(Type.String({ pattern: '^https?://[^@/?#\\s]+/?$' })),
  /** What subjects are named by and forms are signed with: the same in all processes, for ever. */
  TASTE_SECRET: Type.String({ minLength: 32 }),
  /** Another contract than the one that comes with the code: a file. */
  TASTE_CONTRACT: Type.Optional(Type.String()),
  /** Requests of one network; never fewer than the contract promises. */
  TASTE_RATE_LIMIT_PER_MINUTE: Type.Integer({ minimum: 1, default: DEFAULT_REQUESTS_PER_MINUTE }),
  /** Consents of one network; never fewer than the contract promises. */
  TASTE_CONSENTS_PER_MINUTE: Type.Integer({ minimum: 1, default: DEFAULT_CONSENTS_PER_MINUTE }),
  /** Addresses or subnets of the proxies before the service, separated by commas. */
  TRUST_PROXY: Type.Optional(Type.String()),
  /** Where operators find metrics, health and readiness; nothing is served there without a port. */
  OPS_PORT: Type.Optional(Type.Integer({ minimum: 0, maximum: 65_535 })),
  OPS_HOST: Type.String({ default: '127.0.0.1' }),
  LOG_LEVEL: Type.Unsafe<LevelWithSilent>({ type: 'string', enum: LEVELS, default: 'info' }),
});
export type TasteConfig = Static<typeof Environment>;

/**
 * Configuration of the taste service. A blank variable counts as one that is not set.
 *
 * @throws Error naming every variable at fault
 */
export function readConfig(environment: NodeJS.ProcessEnv): TasteConfig {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim()));
  // A copy: env-schema writes into the schema it is given.
  return envSchema<TasteConfig>({ schema: { ...Environment }, data: given, env: false });
}
