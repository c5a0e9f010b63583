import { resolve } from 'node:path';

/** A path as whoever typed it meant it: npm runs scripts in the project's folder, and says where it was called. */
export const givenPath = (path: string): string => resolve(process.env.INIT_CWD ?? '', path);
