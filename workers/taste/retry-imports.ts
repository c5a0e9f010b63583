import type { ClientBase } from 'pg';
import { textArray } from '../../db/arrays.ts';
import { HAS_CONSENT, hasNewerImport } from '../../projections/taste/conditions.ts';
import { IMPORT_CHANNEL } from '../../projections/taste/import-channel.ts';
import type { ImportFailure } from '../../projections/taste/import-failure.ts';
import type { TasteService } from './upstream.ts';

/** Which imports to try again. */
export interface RetryOf {
  readonly services: readonly TasteService[];
  readonly failures: readonly ImportFailure[];
}

interface Retried {
  /** Imports that had failed. */
  readonly failed: number;
  /** Imports that waited for another try. */
  readonly waiting: number;
}

// Nobody is imported who has taken it back, nor once more who has asked again since.
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
 * Has imports that failed begin anew, and those that wait for another try go on now, with all their tries before them; a
 * service that is left alone is asked again. Give it a transaction.
 */
export async function retryImports(client: ClientBase, { services, failures }: RetryOf): Promise<Retried> {
  const ofServices = textArray(services);
  const { rows } = await client.query<Retried>(RETRY, [ofServices, textArray(failures)]);
  const [retried] = rows;
  if (retried === undefined) throw new Error('nothing was counted');
  await client.query(
    `update taste.upstream set failures = 0, failing_import = null, failure = null, failing_since = null,
       free_at = clock_timestamp()
     where service = any($1::text[]) and failures > 0 and failure = any($2::text[])`,
    [ofServices, textArray(failures)],
  );
  await client.query(`select pg_notify($1, '')`, [IMPORT_CHANNEL]);
  return retried;
}
