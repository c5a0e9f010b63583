import type { Pool } from 'pg';
import { textArray } from '../../db/arrays.ts';
import { pendingMigrations } from '../../db/pending-migrations.ts';
import { projections } from '../index.ts';
import { type Cause, type Finding, rememberSince } from '../observe/cause.ts';
import { shareFor } from '../observe/share-for.ts';
import { viewOf } from '../store/version.ts';

export interface ReadinessOptions {
  /** Whether the process serves or makes documents, so that it needs every projection's live version. */
  readonly needsReadModels: boolean;
  /** What else keeps the process from doing its work. */
  readonly further?: () => readonly Finding[];
}

/** Enough to answer whoever asks, however often, by a few short statements a second. */
const SHARED_MS = 1_000;

/**
 * Tells what keeps a process from doing its work: the database, its schema, its read models. Lag never does.
 *
 * @param pool one with short time-outs and connections of its own, so that a busy process is not taken for a broken one
 */
export function readinessOf(
  pool: Pool,
  { needsReadModels, further = () => [] }: ReadinessOptions,
): () => Promise<readonly Cause[]> {
  const sinceWhen = rememberSince(Date.now);
  return shareFor(SHARED_MS, async () =>
    sinceWhen([...(await databaseFindings(pool, needsReadModels)), ...further()]),
  );
}

async function databaseFindings(pool: Pool, needsReadModels: boolean): Promise<Finding[]> {
  try {
    const pending = await pendingMigrations(pool);
    if (pending.length > 0) return [{ what: 'migrations', detail: `not applied: ${pending.join(', ')}` }];
    const missing = needsReadModels ? await missingReadModels(pool) : [];
    return missing.length === 0 ? [] : [{ what: 'read models', detail: `not served: ${missing.join(', ')}` }];
  } catch (error) {
    // The message of a failure may name hosts and users, its code does not.
    const { code = 'no connection' } = error as { code?: string };
    return [{ what: 'database', detail: `does not answer: ${code}` }];
  }
}

const MISSING = `
  select name
  from unnest($1::text[], $2::text[]) needed (name, view)
  where not exists (select from projection.version where projection = name and state = 'live')
    or to_regclass(view) is null or to_regclass(view || '_address') is null
  order by name`;

/** The projections that no version is served of. */
async function missingReadModels(pool: Pool): Promise<string[]> {
  const names = projections.map(({ name }) => name);
  const { rows } = await pool.query<{ name: string }>({
    name: 'missing-read-models',
    text: MISSING,
    values: [textArray(names), textArray(names.map(viewOf))],
  });
  return rows.map(({ name }) => name);
}
