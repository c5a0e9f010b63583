import { type Static, Type } from '@sinclair/typebox';
import {
  logLevel,
  operationsSettings,
  POSTGRES_URL,
  REDIS_URL,
  readConfig,
  SettingsError,
} from '../../infra/runtime/config.ts';
import { oldNameWarnings } from '../../infra/runtime/renamed-settings.ts';
import { ClusterConfig } from '../../projections/models/search/opensearch/cluster.ts';
import type { ArrivalLimits } from '../http/arrival.ts';
import { connectionSettings } from '../http/connection-settings.ts';
import { DEFAULT_WORK_CAPACITY } from '../http/fair-queue.ts';
import { DEFAULT_CLIENT_CAPS } from '../http/in-flight.ts';
import { DEFAULT_RATE_LIMITS } from '../http/limits/tiers.ts';
import { DEFAULT_LOAD_LIMIT } from '../http/load-limit.ts';
import type { ModelSettings } from './plain-language/interpreter.ts';
import type { V1Settings } from './v1/settings.ts';

const HTTP_URL = { pattern: '^https?://', examples: ['https://host'] };
/** Without credentials, which would be logged. */
const BARE_URL = { pattern: '^https?://[^@\\s]+$', examples: ['https://host, without a user and password'] };

/** The days of the deprecation and of the end of version 1. */
const V1_DEPRECATED_ON = '2026-11-01';
const V1_SUNSET_ON = '2027-11-01';

export const QuerySettings = Type.Object({
  DATABASE_URL: Type.String({ ...POSTGRES_URL, description: 'URL of the PostgreSQL database.' }),
  DATABASE_READ_URL: Type.Optional(
    Type.String({
      ...POSTGRES_URL,
      description: 'URL of a replica for all reads. Default: `DATABASE_URL`.',
    }),
  ),
  DATABASE_POOL_SIZE: Type.Integer({
    minimum: 1,
    maximum: 1_000,
    default: 10,
    description: 'Connections of one process to each database.',
  }),
  SURFACE_POOL_SIZE: Type.Integer({
    minimum: 0,
    maximum: 1_000,
    default: 4,
    description:
      'Connections of one process for surfaces, besides those of `DATABASE_POOL_SIZE`. 0: surfaces respond `degraded`.',
  }),
  DATABASE_POOL_QUEUE: Type.Integer({
    minimum: 1,
    default: 500,
    description: 'Statements that may wait for a connection; further ones are rejected.',
  }),
  PORT: Type.Integer({ minimum: 0, maximum: 65_535, default: 8_080, description: 'Port of the API.' }),
  HOST: Type.String({ default: '127.0.0.1', description: 'Address on which the API listens.' }),
  PUBLIC_URL: Type.Optional(
    Type.String({
      ...HTTP_URL,
      description: 'URL of the API in links. Default: the host of the request.',
    }),
  ),
  EXPLORER_URL: Type.Optional(
    Type.String({
      ...BARE_URL,
      description: 'URL of the explorer that search results link to. Default: `PUBLIC_URL`.',
    }),
  ),
  HEADERS_TIMEOUT_MS: Type.Integer({
    minimum: 1,
    default: 5_000,
    description: 'How long the headers of a request may take to arrive.',
  }),
  REQUEST_TIMEOUT_MS: Type.Integer({
    minimum: 1,
    default: 10_000,
    description: 'How long a whole request may take to arrive.',
  }),
  TRUST_PROXY: Type.Optional(
    Type.String({ description: 'Addresses or subnets of the proxies in front, separated by commas.' }),
  ),
  RATE_LIMIT_PER_MINUTE: Type.Integer({
    minimum: 1,
    default: DEFAULT_RATE_LIMITS.perKey,
    description: 'Requests of one key of the standard tier.',
  }),
  RATE_LIMIT_ANONYMOUS_PER_MINUTE: Type.Integer({
    minimum: 1,
    default: DEFAULT_RATE_LIMITS.perAddress,
    description: 'Requests without a key from one network.',
  }),
  RATE_LIMIT_CONCURRENCY: Type.Integer({
    minimum: 1,
    default: DEFAULT_RATE_LIMITS.concurrencyPerKey,
    description: 'Concurrent requests of one key of the standard tier.',
  }),
  REDIS_URL: Type.Optional(
    Type.String({
      ...REDIS_URL,
      description:
        'Redis where all API processes share their limits. Without it each process counts on its own.',
    }),
  ),
  REDIS_PREFIX: Type.Optional(Type.String({ description: 'Separates installations that share one Redis.' })),
  ...ClusterConfig.properties,
  MAX_CONCURRENT_REQUESTS: Type.Integer({
    minimum: 1,
    default: DEFAULT_LOAD_LIMIT.most,
    description: 'In-flight requests of one process; further ones are shed.',
  }),
  MAX_CONCURRENT_WORK: Type.Integer({
    minimum: 2,
    default: DEFAULT_WORK_CAPACITY,
    description:
      'Units of work that run at the same time; further requests wait for a fair turn. A costly read takes 64, a list of artists 4, any other 1.',
  }),
  MAX_CONCURRENT_REQUESTS_PER_CONNECTION: Type.Integer({
    minimum: 1,
    default: DEFAULT_CLIENT_CAPS.perConnection,
    description: 'In-flight requests that one connection may pipeline; further ones are rejected.',
  }),
  MAX_CONCURRENT_REQUESTS_PER_ADDRESS: Type.Integer({
    minimum: 1,
    default: DEFAULT_CLIENT_CAPS.perAddress,
    description: 'In-flight requests without a verified key from one network; further ones are rejected.',
  }),
  ...connectionSettings,
  MAX_EVENT_LOOP_DELAY_MS: Type.Integer({
    minimum: 1,
    default: DEFAULT_LOAD_LIMIT.bearableDelayMs,
    description: 'Event-loop delay above which a process accepts fewer requests.',
  }),
  CURSOR_SECRET: Type.Optional(
    Type.String({
      minLength: 32,
      description: 'Seals the cursors of surfaces. Without it all processes share a secret in the database.',
    }),
  ),
  BEACON_SECRET: Type.Optional(
    Type.String({
      minLength: 32,
      description:
        'Signs the tokens of search events, the same in all processes. Without it each makes its own.',
    }),
  ),
  NL_BASE_URL: Type.Optional(
    Type.String({
      ...BARE_URL,
      description: 'OpenAI-compatible endpoint of a language model for searches in plain language.',
    }),
  ),
  NL_MODEL: Type.Optional(Type.String({ description: 'Name of the language model at `NL_BASE_URL`.' })),
  NL_API_KEY: Type.Optional(Type.String({ description: 'API key of the language model at `NL_BASE_URL`.' })),
  V1_UPSTREAM_URL: Type.Optional(
    Type.String({ ...BARE_URL, description: 'URL of the service that still serves version 1.' }),
  ),
  V1_DEPRECATED_ON: Type.Optional(
    Type.String({
      format: 'date',
      description: `Day of the deprecation of version 1. Default: ${V1_DEPRECATED_ON}.`,
    }),
  ),
  V1_SUNSET_ON: Type.Optional(
    Type.String({ format: 'date', description: `Day of the end of version 1. Default: ${V1_SUNSET_ON}.` }),
  ),
  LOG_LEVEL: logLevel('info'),
  ...operationsSettings,
});
export type QueryConfig = Static<typeof QuerySettings>;

/** Old names, which work until the next minor version. */
export const RENAMED = {
  RATE_LIMIT_AT_ONCE: 'RATE_LIMIT_CONCURRENCY',
  MAX_REQUESTS_UNDER_WAY: 'MAX_CONCURRENT_REQUESTS',
};

/** Warnings about settings given by their old names. */
export const configWarnings = (environment: NodeJS.ProcessEnv = process.env): string[] =>
  oldNameWarnings(environment, RENAMED);

/** Reads the configuration of the query service. @throws SettingsError that names every invalid setting */
export const readQueryConfig = (environment: NodeJS.ProcessEnv = process.env): QueryConfig =>
  readConfig(QuerySettings, {
    environment,
    renamed: RENAMED,
    dependencies: { NL_BASE_URL: ['NL_MODEL'], NL_MODEL: ['NL_BASE_URL'] },
  });

/** The configured language model; null without one. */
export const modelOf = ({ NL_BASE_URL, NL_MODEL, NL_API_KEY }: QueryConfig): ModelSettings | null =>
  NL_BASE_URL === undefined || NL_MODEL === undefined
    ? null
    : { baseUrl: NL_BASE_URL.replace(/\/+$/, ''), model: NL_MODEL, apiKey: NL_API_KEY ?? null };

/** The service of version 1; null without one. */
export const v1Of = (config: QueryConfig): V1Settings | null =>
  config.V1_UPSTREAM_URL === undefined
    ? null
    : {
        upstreamUrl: config.V1_UPSTREAM_URL.replace(/\/+$/, ''),
        deprecatedAt: new Date(config.V1_DEPRECATED_ON ?? V1_DEPRECATED_ON),
        sunsetAt: new Date(config.V1_SUNSET_ON ?? V1_SUNSET_ON),
      };

/**
 * Reads how long a request may take to arrive.
 *
 * @throws SettingsError if its headers may take longer than all of it
 */
export function arrivalOf(config: QueryConfig): ArrivalLimits {
  const { HEADERS_TIMEOUT_MS: headersMs, REQUEST_TIMEOUT_MS: requestMs } = config;
  if (headersMs > requestMs)
    throw new SettingsError(`setting HEADERS_TIMEOUT_MS must be at most REQUEST_TIMEOUT_MS (${requestMs})`);
  return { headersMs, requestMs };
}
