import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const DEFAULT_HOME = fileURLToPath(new URL('../../.linernotes', import.meta.url));

/** The folder where `npm start` keeps its databases and secrets. @param configured `LINERNOTES_HOME` */
export const linernotesHome = (configured: string | undefined): string =>
  path.resolve(configured ?? DEFAULT_HOME);

/** The folder of the embedded database of one data set. */
export const postgresFolder = (home: string, dataSet: string): string => path.join(home, dataSet, 'postgres');

/** The data sets with a database. Each has its own. */
export const keptDataSets = (home: string): string[] =>
  existsSync(home) ? readdirSync(home).filter((name) => existsSync(postgresFolder(home, name))) : [];

/** The environment of PostgreSQL's programs. initdb fails if the environment names a locale that the system lacks. */
export const postgresEnvironment = (): NodeJS.ProcessEnv => ({ ...process.env, LC_ALL: 'C', LANG: 'C' });
