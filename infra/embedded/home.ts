import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder where `npm start` keeps what it must not lose: `LINERNOTES_HOME`, else `.linernotes` here. */
export function linernotesHome(): string {
  return path.resolve(
    process.env.LINERNOTES_HOME || fileURLToPath(new URL('../../.linernotes', import.meta.url)),
  );
}

/** Where the embedded database of `npm start` lives. */
export const embeddedDataDir = (): string => path.join(linernotesHome(), 'postgres');
