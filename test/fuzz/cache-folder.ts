import { homedir } from 'node:os';
import path from 'node:path';

/** Where what is made once is kept for later runs. */
export const cacheFolder = (): string =>
  path.join(process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache'), 'linernotes');
