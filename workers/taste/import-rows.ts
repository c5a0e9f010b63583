import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { ClientBase, Pool } from 'pg';
import { textArray } from '../../db/arrays.ts';
import { HAS_CONSENT, hasNewerImport } from '../../projections/models/taste/conditions.ts';
import type { ImportFailure } from '../../projections/models/taste/imports.ts';
import type { ImportService } from './upstream.ts';

/** Progress of an import. */
const Cursor = Type.Object({
  /** Position of the next page, as its service counts. */
  at: Type.Integer({ minimum: 0 }),
  /** Pages read so far. */
  pages: Type.Integer({ minimum: 0 }),
});
export type Cursor = Static<typeof Cursor>;

/** An import whose next page is due. */
export interface DueImport {
  readonly id: string;
  readonly accountId: string;
  readonly username: string;
  /** Null before the first page. */
  readonly cursor: Cursor | null;
  /** Retries since the last page. */
  readonly attempt: number;
  /** Milliseconds since its first start; 0 before. */
  readonly triedMs: number;
}

const NEXT = `
  select import.id, account_id as "accountId", username, cursor, attempt,
    coalesce(extract(epoch from clock_timestamp() - started_at), 0)::float8 * 1000 as "triedMs"
  from taste.import join taste.account on account.id = account_id join taste.person on person.id = person_id
  where service = $1 and state in ('queued', 'running') and due_at <= clock_timestamp()
  order by exchanged_at is null, due_at, import.id limit 1`;

/**
 * The import of a service that is due longest; null if none is due. Imports of persons whose code was exchanged go first,
 * because a consumer waits for them.
 */
export async function nextDueImport(pool: Pool, service: ImportService): Promise<DueImport | null> {
  const { rows } = await pool.query<DueImport & { readonly cursor: unknown }>({
    name: 'next-import',
    text: NEXT,
    values: [service],
  });
  const [due] = rows;
  if (due === undefined) return null;
  return { ...due, cursor: Value.Check(Cursor, due.cursor) ? due.cursor : null };
}

/** Recently imported accounts from which probes choose. */
const WORKING_ACCOUNTS = 20;

const WORKING = `
  select username from (
    select username from taste.import join taste.account on account.id = account_id
    where service = $1 and state = 'done' and ${HAS_CONSENT}
    order by finished_at desc limit ${WORKING_ACCOUNTS}) recent
  order by random() limit 1`;

/** The username of an account that was imported before, another one each time; null if there is none. */
export async function workingAccount(pool: Pool, service: ImportService): Promise<string | null> {
  const { rows } = await pool.query<{ username: string }>({
    name: 'working-account',
    text: WORKING,
    values: [service],
  });
  return rows[0]?.username ?? null;
}

/** Marks an import as running. Returns false if it ended or was erased. */
export async function beginImport(pool: Pool, { id }: DueImport): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: 'begin-import',
    text: `update taste.import set state = 'running', started_at = coalesce(started_at, now())
           where id = $1 and state in ('queued', 'running')`,
    values: [id],
  });
  return rowCount === 1;
}

/** Queues an import for a retry in `ms` milliseconds. */
export async function requeueImport(
  pool: Pool,
  { id }: DueImport,
  { failure, attempt, ms }: { failure: ImportFailure; attempt: number; ms: number },
): Promise<void> {
  await pool.query({
    name: 'postpone-import',
    text: `update taste.import set state = 'queued', attempt = $2, failure = $3,
             due_at = clock_timestamp() + $4 * interval '1 ms'
           where id = $1 and state = 'running'`,
    values: [id, attempt, failure, ms],
  });
}

export async function failImport(pool: Pool, { id }: DueImport, failure: ImportFailure): Promise<void> {
  await pool.query({
    name: 'fail-import',
    text: `update taste.import set state = 'failed', failure = $2, finished_at = now(), cursor = null
           where id = $1 and state = 'running'`,
    values: [id, failure],
  });
}

/** Fails imports whose service is not configured, and queues those whose service now is. */
export async function applyConfiguredServices(
  pool: Pool,
  services: readonly ImportService[],
): Promise<number> {
  const values = [textArray(services)];
  await pool.query({
    name: 'queue-configured-imports',
    text: `update taste.import later set state = 'queued', failure = null, started_at = null, finished_at = null,
             attempt = 0, due_at = clock_timestamp()
           from taste.account
           where account.id = account_id and service = any($1::text[]) and state = 'failed'
             and failure = 'not_configured' and not ${hasNewerImport('later')}`,
    values,
  });
  const { rowCount } = await pool.query({
    name: 'fail-unconfigured-imports',
    text: `update taste.import set state = 'failed', failure = 'not_configured', finished_at = now(), cursor = null
           from taste.account
           where account.id = account_id and service <> all($1::text[]) and state in ('queued', 'running')`,
    values,
  });
  return rowCount ?? 0;
}

/** Locks the account until the end of the transaction. Returns false if it does not exist. */
export async function lockAccount(client: ClientBase, accountId: string): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'lock-taste-account',
    text: 'select from taste.account where id = $1 for update',
    values: [accountId],
  });
  return rowCount === 1;
}
