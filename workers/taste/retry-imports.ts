import type { ClientBase } from 'pg';
import { textArray } from '../../db/arrays.ts';
import { HAS_CONSENT, hasNewerImport } from '../../projections/models/taste/conditions.ts';
import type { ImportFailure } from '../../projections/models/taste/imports.ts';
import type { ImportService } from './upstream.ts';

/** The imports to retry. */
export interface RetrySelection {
  readonly services: readonly ImportService[];
  readonly failures: readonly ImportFailure[];
}

interface RetryCounts {
  /** Failed imports. */
  readonly failed: number;
  /** Imports that were waiting for a retry. */
  readonly waiting: number;
}

// Skips accounts without consent and accounts with a newer import.
const RETRY = `
  with chosen as (
    select known.id, known.state
    from taste.import known join taste.account on account.id = known.account_id
    where service = any($1::text[]) and failure = any($2::text[]) and (
      known.state = 'queued'
      or known.state = 'failed' and not ${hasNewerImport('known')} and ${HAS_CONSENT})
    order by known.id for update of known
  ), retried as (
    update taste.import set state = 'queued', failure = null, attempt = 0, started_at = null, finished_at = null,
      due_at = clock_timestamp()
    from chosen where chosen.id = import.id
    returning chosen.state
  )
  select count(*) filter (where state = 'failed')::int as failed, count(*) filter (where state = 'queued')::int as waiting
  from retried`;

/**
 * Restarts failed imports, continues waiting ones now, resets their attempts and ends the pause of their services.
 * Call it in a transaction, and notify `IMPORT_CHANNEL` after the commit.
 */
export async function retryImports(
  client: ClientBase,
  { services, failures }: RetrySelection,
): Promise<RetryCounts> {
  const ofServices = textArray(services);
  const { rows } = await client.query<RetryCounts>(RETRY, [ofServices, textArray(failures)]);
  const [retried] = rows;
  if (retried === undefined) throw new Error('the retry returned no counts');
  await client.query(
    `update taste.upstream set failures = 0, failing_import = null, failure = null, failing_since = null,
       free_at = clock_timestamp()
     where service = any($1::text[]) and failures > 0 and failure = any($2::text[])`,
    [ofServices, textArray(failures)],
  );
  return retried;
}
