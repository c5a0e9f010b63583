import type { Pool } from 'pg';
import { textArray } from '../../../db/arrays.ts';
import { pendingMigrations } from '../../../db/migrate.ts';
import { type Cause, type Finding, rememberSince } from '../../../infra/runtime/cause.ts';
import { memoizeFor } from '../../../infra/runtime/memoize-for.ts';
import type { Projection } from '../projection.ts';
import { viewOf } from '../store/version.ts';

export interface ReadinessOptions {
  /** The read models of which the process needs a live version. Default: none. */
  readonly projections?: readonly Projection[];
  /** What else keeps the process from its work. */
  readonly findings?: () => readonly Finding[] | Promise<readonly Finding[]>;
}

/** However often readiness is requested, it costs a few short statements a second. */
const SHARED_MS = 1_000;

/**
 * Finds what keeps a process from its work: the database, its schema, its read models. Lag never does.
 *
 * @param pool separate from the pool of the process and with short time-outs, so that a busy process does not look broken
 */
export function readinessOf(
  pool: Pool,
  { projections = [], findings = () => [] }: ReadinessOptions = {},
): () => Promise<readonly Cause[]> {
  const sinceWhen = rememberSince(Date.now);
  return memoizeFor(SHARED_MS, async () =>
    sinceWhen((await Promise.all([databaseFindings(pool, projections), findings()])).flat()),
  );
}

async function databaseFindings(pool: Pool, projections: readonly Projection[]): Promise<Finding[]> {
  try {
    const pending = await pendingMigrations(pool);
    if (pending.length > 0) return [{ what: 'migrations', detail: `not applied: ${pending.join(', ')}` }];
    const missing = projections.length > 0 ? await missingReadModels(pool, projections) : [];
    return missing.length === 0 ? [] : [{ what: 'read models', detail: `not served: ${missing.join(', ')}` }];
  } catch (error) {
    // The message of an error may name hosts and users; its code does not.
    const { code = 'no connection' } = error as { code?: string };
    return [{ what: 'database', detail: `does not answer: ${code}` }];
  }
}

const MISSING = `
  select name
  from unnest($1::text[], $2::text[]) needed (name, view)
  where not exists (select from projection.version where projection = name and state = 'live')
    or not coalesce(has_table_privilege(to_regclass(view), 'select'), false) or to_regclass(view || '_address') is null
  order by name`;

/** The names of the projections without a live version. */
async function missingReadModels(pool: Pool, projections: readonly Projection[]): Promise<string[]> {
  const names = projections.map(({ name }) => name);
  const { rows } = await pool.query<{ name: string }>({
    name: 'missing-read-models',
    text: MISSING,
    values: [textArray(names), textArray(names.map(viewOf))],
  });
  return rows.map(({ name }) => name);
}
