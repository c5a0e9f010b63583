import { type Static, Type } from '@sinclair/typebox';
import { logLevel, readConfig } from '../runtime/config.ts';

export const StartConfig = Type.Object({
  PORT: Type.Integer({ minimum: 1, maximum: 65_535, default: 8_080, description: 'Port of the API.' }),
  TASTE_PORT: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 65_535,
      description: 'Port of the taste service. Default: 8081, or any free port if that is taken.',
    }),
  ),
  TASTE_URL: Type.Optional(
    Type.String({ description: 'URL of the taste service in browsers. Default: where it listens.' }),
  ),
  TASTE_SECRET: Type.Optional(
    Type.String({ description: 'Secret of the taste service. Default: one in the data folder.' }),
  ),
  TASTE_CONTRACT: Type.Optional(
    Type.String({ description: 'File with another contract than the bundled one.' }),
  ),
  LINERNOTES_HOME: Type.Optional(
    Type.String({ description: 'Folder of the databases. Default: `.linernotes`.' }),
  ),
  LOG_LEVEL: logLevel('warn'),
});
export type StartSettings = Static<typeof StartConfig>;

/** @throws SettingsError that names every malformed setting */
export const readStartConfig = (): StartSettings => readConfig(StartConfig);

/** The database of `npm start` holds its search index, whatever cluster the environment names for other processes. */
export function searchInDatabase(): void {
  delete process.env.SEARCH_URL;
}

/** Sets the day of dated read models, unless `AS_OF` sets another. */
export function setDefaultDay(day: string): void {
  process.env.AS_OF ??= day;
}
