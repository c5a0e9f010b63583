import type { ClientBase, Pool } from 'pg';
import { hasNewerImport } from './conditions.ts';

/** After so many imports in a row that failed, it is their service that fails, and it is left alone for a while. */
export const FAILURES_OF_SERVICE = 3;

/** Imports of a service in one state, by count. Those that are done are not told, nor failed ones before a newer. */
export interface ImportGroup {
  readonly service: string;
  readonly state: string;
  /** Why they failed, or wait for another try; null where nothing went wrong. */
  readonly failure: string | null;
  readonly imports: number;
  readonly oldestAt: Date;
  /** When the first of them may go on; null for those that failed. */
  readonly nextAt: Date | null;
  /** For how long the first of them could have gone on; null for those that failed. */
  readonly overdueSeconds: number | null;
}

/** How a service does that imports come from. */
interface UpstreamHealth {
  readonly service: string;
  /** Imports that failed one after another, none answered between. */
  readonly failures: number;
  readonly failure: string | null;
  readonly failingSince: Date | null;
  /** When it may be sent the next request. */
  readonly freeAt: Date;
}

export interface ImportBacklog {
  readonly imports: readonly ImportGroup[];
  readonly services: readonly UpstreamHealth[];
}

const IMPORTS = `
  select service, state, failure, count(*)::float8 as imports, min(requested_at) as "oldestAt",
    min(due_at) filter (where state <> 'failed') as "nextAt",
    greatest(0, extract(epoch from clock_timestamp() - min(due_at) filter (where state <> 'failed')))::float8
      as "overdueSeconds"
  from taste.import known join taste.account on account.id = account_id
  where state in ('queued', 'running') or (state = 'failed' and not ${hasNewerImport('known')})
  group by service, state, failure order by service, state desc, failure nulls first`;

const SERVICES = `
  select service, failures, failure, failing_since as "failingSince", free_at as "freeAt"
  from taste.upstream order by service`;

/** What waits to be imported or has failed. Counting costs as much as there is; for operators, not for every request. */
export async function readImportBacklog(db: ClientBase | Pool): Promise<ImportBacklog> {
  const imports = await db.query<ImportGroup>({
    name: 'import-backlog',
    text: IMPORTS,
  });
  const services = await db.query<UpstreamHealth>({ name: 'upstream-health', text: SERVICES });
  return { imports: imports.rows, services: services.rows };
}
