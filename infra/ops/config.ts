import { userInfo } from 'node:os';
import { resolve } from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import { LimitsConfig } from '../../workers/ingest/record-limits.ts';
import { SchemaRegistryConfig } from '../../workers/ingest/schemas/config.ts';
import { logLevel, REDIS_URL, readConfig } from '../runtime/config.ts';

export const OpsConfig = Type.Composite([
  LimitsConfig,
  SchemaRegistryConfig,
  Type.Object({
    DATABASE_URL: Type.Optional(
      Type.String({
        description: 'URL of the PostgreSQL database. Default: that of the running `npm start`.',
      }),
    ),
    REDIS_URL: Type.Optional(
      Type.String({
        ...REDIS_URL,
        description: 'Redis of the job queue, if it is not in the database.',
      }),
    ),
    REDIS_PREFIX: Type.Optional(
      Type.String({ description: 'Separates installations that share one Redis.' }),
    ),
    LOG_LEVEL: logLevel('warn'),
    LINERNOTES_OPERATOR: Type.Optional(
      Type.String({ description: 'Name of the operator in the audit trail. Default: the system user.' }),
    ),
    LINERNOTES_HOME: Type.Optional(
      Type.String({ description: 'Folder of the databases of `npm start`. Default: `.linernotes`.' }),
    ),
    TASTE_SECRET: Type.Optional(
      Type.String({ description: 'Secret of the taste service. Default: those that `npm start` keeps.' }),
    ),
    INIT_CWD: Type.Optional(Type.String({ description: 'Folder of relative paths. npm sets it.' })),
  }),
]);

/** @throws SettingsError that names every malformed setting */
export const readOpsConfig = (): Static<typeof OpsConfig> => readConfig(OpsConfig);

/** The name of the operator in the audit trail. */
export const operator = (): string => readOpsConfig().LINERNOTES_OPERATOR ?? userInfo().username;

/** A path on the command line, which is relative to the folder where npm was called. */
export const givenPath = (path: string): string => resolve(readOpsConfig().INIT_CWD ?? '', path);
