import { DatabaseError } from 'pg';

/** SQLSTATEs of data that does not fit, whose messages quote it. */
const QUOTING = /^2[23]/;

/**
 * What a log may hold of an error: a database adds rows and values to its own, which may be the user name of somebody
 * or the digest of a secret.
 */
export function plainCause(error: Error): Readonly<Record<string, string>> {
  const { code } = error as { code?: unknown };
  const isQuoting = error instanceof DatabaseError && QUOTING.test(error.code ?? '');
  const frames = error.stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? [];
  return {
    type: error.name,
    ...(typeof code === 'string' ? { code } : {}),
    ...(isQuoting ? {} : { message: error.message }),
    stack: frames.join('\n'),
  };
}
