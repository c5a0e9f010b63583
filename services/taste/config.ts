import { type Static, Type } from '@sinclair/typebox';
import { logLevel, operationsSettings, POSTGRES_URL, readConfig } from '../../infra/runtime/config.ts';
import { connectionSettings } from '../http/connection-settings.ts';

export const DEFAULT_REQUESTS_PER_MINUTE = 600;
export const DEFAULT_CONSENTS_PER_MINUTE = 10;
export const DEFAULT_TASTE_PORT = 8_081;

export const TasteServiceSettings = Type.Object({
  DATABASE_URL: Type.String({
    ...POSTGRES_URL,
    description: 'URL of the PostgreSQL database.',
  }),
  DATABASE_POOL_SIZE: Type.Integer({
    minimum: 1,
    maximum: 1_000,
    default: 10,
    description: 'Connections of one process to each database.',
  }),
  TASTE_PORT: Type.Integer({
    minimum: 0,
    maximum: 65_535,
    default: DEFAULT_TASTE_PORT,
    description: 'Port of the taste service.',
  }),
  TASTE_HOST: Type.String({
    default: '127.0.0.1',
    description: 'Address on which the taste service listens.',
  }),
  TASTE_URL: Type.Optional(
    Type.String({
      pattern: '^https?://[^@/?#\\s]+/?$',
      examples: ['https://host, without a path, user and password'],
      description: 'URL of the taste service in browsers. Default: where it listens.',
    }),
  ),
  TASTE_SECRET: Type.String({
    minLength: 32,
    description:
      'Derives the pseudonyms of people and signs forms. The same in all processes; never change it.',
  }),
  TASTE_CONTRACT: Type.Optional(
    Type.String({ description: 'File with another contract than the bundled one.' }),
  ),
  TASTE_RATE_LIMIT_PER_MINUTE: Type.Integer({
    minimum: 1,
    default: DEFAULT_REQUESTS_PER_MINUTE,
    description: 'Requests of one network; at least what the contract promises.',
  }),
  TASTE_CONSENTS_PER_MINUTE: Type.Integer({
    minimum: 1,
    default: DEFAULT_CONSENTS_PER_MINUTE,
    description: 'Consents of one network; at least what the contract promises.',
  }),
  REDIS_URL: Type.Optional(
    Type.String({
      pattern: '^rediss?://',
      description:
        'Redis where all processes of taste profiles share their limits. Without it each process counts on its own.',
    }),
  ),
  REDIS_PREFIX: Type.Optional(Type.String({ description: 'Separates installations that share one Redis.' })),
  TRUST_PROXY: Type.Optional(
    Type.String({ description: 'Addresses or subnets of the proxies in front, separated by commas.' }),
  ),
  ...connectionSettings,
  LOG_LEVEL: logLevel('info'),
  ...operationsSettings,
});
export type TasteConfig = Static<typeof TasteServiceSettings>;

/** Reads the configuration of the taste service. @throws SettingsError that names every invalid setting */
export const readTasteConfig = (environment: NodeJS.ProcessEnv = process.env): TasteConfig =>
  readConfig(TasteServiceSettings, { environment });
