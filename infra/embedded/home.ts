import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder where `npm start` keeps what it must not lose: `LINERNOTES_HOME`, else `.linernotes` here. */
export function linernotesHome(): string {
  return path.resolve(
    process.env.LINERNOTES_HOME || fileURLToPath(new URL('../../.linernotes', import.meta.url)),
  );
}

/** Where the embedded database lives that `npm start` keeps for one data set. */
export const postgresFolder = (dataSet: string): string => path.join(linernotesHome(), dataSet, 'postgres');

/** Data sets that `npm start` has kept a database for; there may be several, each of its own. */
export function keptDataSets(): string[] {
  const home = linernotesHome();
  return existsSync(home) ? readdirSync(home).filter((name) => existsSync(postgresFolder(name))) : [];
}
