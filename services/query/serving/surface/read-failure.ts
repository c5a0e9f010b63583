import { databaseError } from '../../database-errors.ts';

/** Why an answer has no rows although there may be some. */
export const DEGRADED_REASONS = ['not_granted', 'not_migrated', 'read_failed'] as const;
export type DegradedReason = (typeof DEGRADED_REASONS)[number];

/** The role may not log in, or not read the table. */
const NOT_GRANTED = /^(?:28|42501$)/;
/** No such database, schema, table or column. */
const NOT_MIGRATED = /^(?:3D000|3F000|42P01|42703)$/;

/**
 * What a failed read means to the client. It fails soft: the answer says so and has no rows.
 *
 * @throws ApiError where the database was merely busy, away or late, so that asking again helps
 */
export function degradedReason(error: unknown): DegradedReason {
  const passing = error instanceof Error ? databaseError(error) : null;
  if (passing?.code === 'pool_exhausted' || passing?.code === 'deadline_exceeded') throw passing;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (NOT_GRANTED.test(code)) return 'not_granted';
  return NOT_MIGRATED.test(code) ? 'not_migrated' : 'read_failed';
}
