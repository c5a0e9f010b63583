import type { ClientBase, Pool } from 'pg';
import { hasNewerImport } from './conditions.ts';

/** After this many consecutive failed imports the service counts as failing and is paused. */
export const FAILURES_OF_SERVICE = 3;

/** Count of a service's imports in one state, without finished ones and failed ones with a newer import. */
export interface ImportGroup {
  readonly service: string;
  readonly state: string;
  /** Why they failed or wait for a retry; null without a failure. */
  readonly failure: string | null;
  readonly imports: number;
  readonly oldestAt: Date;
  /** When the first of them may continue; null for failed ones. */
  readonly nextAt: Date | null;
  /** How long the first of them has been due; null for failed ones. */
  readonly overdueSeconds: number | null;
}

/** The state of a service that imports come from. */
interface UpstreamHealth {
  readonly service: string;
  /** Consecutive failed imports. */
  readonly failures: number;
  readonly failure: string | null;
  readonly failingSince: Date | null;
  /** When the next request may be sent. */
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

/** Pending and failed imports. It counts all rows: for operators, not for requests. */
export async function readImportBacklog(db: ClientBase | Pool): Promise<ImportBacklog> {
  const imports = await db.query<ImportGroup>({
    name: 'import-backlog',
    text: IMPORTS,
  });
  const services = await db.query<UpstreamHealth>({ name: 'upstream-health', text: SERVICES });
  return { imports: imports.rows, services: services.rows };
}
