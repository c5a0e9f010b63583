import { type Static, Type } from '@sinclair/typebox';
import { envSchema } from 'env-schema';
import type { LevelWithSilent } from 'pino';
import type { ModelSettings } from './interpret/interpreter.ts';
import type { ArrivalLimits } from './parts.ts';
import { DEFAULT_LOAD_LIMIT } from './serving/load-limit.ts';
import { DEFAULT_RATE_LIMITS } from './serving/rate-limits.ts';
import type { V1Settings } from './serving/v1/settings.ts';

const LEVELS: readonly LevelWithSilent[] = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];
const POSTGRES_URL = '^postgres(ql)?://';
const HTTP_URL = '^https?://';
const REDIS_URL = '^rediss?://';
/** Without credentials, which would be logged. */
const BARE_URL = '^https?://[^@\\s]+$';

const DAY = '^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$';
/** When the end of version 1 was announced, and when it comes. */
const V1_DEPRECATED_ON = '2026-11-01';
const V1_SUNSET_ON = '2027-11-01';

const Environment = Type.Object({
  DATABASE_URL: Type.String({ pattern: POSTGRES_URL }),
  DATABASE_READ_URL: Type.Optional(Type.String({ pattern: POSTGRES_URL })),
  DATABASE_POOL_SIZE: Type.Integer({ minimum: 1, maximum: 1_000, default: 10 }),
  /** Statements that may wait for a connection; more are refused at once. */
  DATABASE_POOL_QUEUE: Type.Integer({ minimum: 1, default: 500 }),
  PORT: Type.Integer({ minimum: 0, maximum: 65_535, default: 8_080 }),
  HOST: Type.String({ default: '127.0.0.1' }),
  PUBLIC_URL: Type.Optional(Type.String({ pattern: HTTP_URL })),
  /** Where the explorer is served that search results link to; at PUBLIC_URL unless set. */
  EXPLORER_URL: Type.Optional(Type.String({ pattern: BARE_URL })),
  /** Milliseconds that a request may take to arrive: its headers, and all of it. */
  HEADERS_TIMEOUT_MS: Type.Integer({ minimum: 1, default: 5_000 }),
  REQUEST_TIMEOUT_MS: Type.Integer({ minimum: 1, default: 10_000 }),
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
  /** Requests of a key of the standard tier that may be under way at once. */
  RATE_LIMIT_AT_ONCE: Type.Integer({ minimum: 1, default: DEFAULT_RATE_LIMITS.atOncePerKey }),
  /** Where processes share their limits; without it each counts by itself. */
  REDIS_URL: Type.Optional(Type.String({ pattern: REDIS_URL })),
  /** Keeps several installations on one Redis apart. */
  REDIS_PREFIX: Type.Optional(Type.String()),
  /** Requests under way in this process, at most, and the delay of its event loop above which it lets in fewer. */
  MAX_REQUESTS_UNDER_WAY: Type.Integer({ minimum: 1, default: DEFAULT_LOAD_LIMIT.most }),
  MAX_EVENT_LOOP_DELAY_MS: Type.Integer({ minimum: 1, default: DEFAULT_LOAD_LIMIT.bearableDelayMs }),
  /** What cursors of surfaces are sealed with; without it the database keeps a secret that all processes share. */
  CURSOR_SECRET: Type.Optional(Type.String({ minLength: 32 })),
  /** Signs the tokens of beacons, the same in all processes; without it each has one of its own. */
  BEACON_SECRET: Type.Optional(Type.String({ minLength: 32 })),
  /** A language model that reads searches in plain language, behind an OpenAI-compatible endpoint. */
  NL_BASE_URL: Type.Optional(Type.String({ pattern: BARE_URL })),
  NL_MODEL: Type.Optional(Type.String()),
  NL_API_KEY: Type.Optional(Type.String()),
  /** Where version 1 is still served, the days of its deprecation and its end. */
  V1_UPSTREAM_URL: Type.Optional(Type.String({ pattern: BARE_URL })),
  V1_DEPRECATED_ON: Type.Optional(Type.String({ pattern: DAY })),
  V1_SUNSET_ON: Type.Optional(Type.String({ pattern: DAY })),
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
    schema: { ...Environment, dependencies: { NL_BASE_URL: ['NL_MODEL'], NL_MODEL: ['NL_BASE_URL'] } },
    data: given,
    env: false,
  });
}

/** The model that is configured; null without one. */
export const modelOf = ({ NL_BASE_URL, NL_MODEL, NL_API_KEY }: QueryConfig): ModelSettings | null =>
  NL_BASE_URL === undefined || NL_MODEL === undefined
    ? null
    : { baseUrl: NL_BASE_URL.replace(/\/+$/, ''), model: NL_MODEL, apiKey: NL_API_KEY ?? null };

/** Where version 1 is served; null where it is not. */
export const v1Of = (config: QueryConfig): V1Settings | null =>
  config.V1_UPSTREAM_URL === undefined
    ? null
    : {
        upstreamUrl: config.V1_UPSTREAM_URL.replace(/\/+$/, ''),
        deprecatedAt: new Date(config.V1_DEPRECATED_ON ?? V1_DEPRECATED_ON),
        sunsetAt: new Date(config.V1_SUNSET_ON ?? V1_SUNSET_ON),
      };

/**
 * How long a request may take to arrive.
 *
 * @throws Error where its headers would have longer than all of it
 */
export function arrivalOf(config: QueryConfig): ArrivalLimits {
  const { HEADERS_TIMEOUT_MS: headersMs, REQUEST_TIMEOUT_MS: requestMs } = config;
  if (headersMs > requestMs)
    throw new Error('HEADERS_TIMEOUT_MS is longer than REQUEST_TIMEOUT_MS, which it is a part of');
  return { headersMs, requestMs };
}
