import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { ClientBase, Pool } from 'pg';
import { textArray } from '../../db/arrays.ts';
import { hasNewerImport } from '../../projections/taste/conditions.ts';
import type { ImportFailure } from '../../projections/taste/import-failure.ts';
import type { TasteService } from './upstream.ts';

/** How far an import is. */
const Cursor = Type.Object({
  /** Of the next page, as its service counts. */
  at: Type.Integer({ minimum: 0 }),
  /** Pages read so far. */
  pages: Type.Integer({ minimum: 0 }),
});
export type Cursor = Static<typeof Cursor>;

/** An import that may go on, and all that its next page takes. */
export interface ImportTurn {
  readonly id: string;
  readonly accountId: string;
  readonly username: string;
  /** Null before the first page. */
  readonly cursor: Cursor | null;
  /** How often it was put off since the last page. */
  readonly attempt: number;
  /** Milliseconds since it was first begun; 0 before that. */
  readonly triedMs: number;
}

const NEXT = `
  select import.id, account_id as "accountId", username, cursor, attempt,
    coalesce(extract(epoch from clock_timestamp() - started_at), 0)::float8 * 1000 as "triedMs"
  from taste.import join taste.account on account.id = account_id
  where service = $1 and state in ('queued', 'running') and due_at <= clock_timestamp()
  order by due_at, import.id limit 1`;

/** The import of a service that has waited longest for its next page; null where none may go on now. */
export async function nextTurn(pool: Pool, service: TasteService): Promise<ImportTurn | null> {
  const { rows } = await pool.query<ImportTurn & { readonly cursor: unknown }>({
    name: 'next-import',
    text: NEXT,
    values: [service],
  });
  const [turn] = rows;
  if (turn === undefined) return null;
  return { ...turn, cursor: Value.Check(Cursor, turn.cursor) ? turn.cursor : null };
}

/** Notes that an import is under way. False where it no longer is to be. */
export async function beginTurn(pool: Pool, { id }: ImportTurn): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: 'begin-import',
    text: `update taste.import set state = 'running', started_at = coalesce(started_at, now())
           where id = $1 and state in ('queued', 'running')`,
    values: [id],
  });
  return rowCount === 1;
}

/** Has an import wait for its next try. */
export async function postpone(
  pool: Pool,
  { id }: ImportTurn,
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

export async function failImport(pool: Pool, { id }: ImportTurn, failure: ImportFailure): Promise<void> {
  await pool.query({
    name: 'fail-import',
    text: `update taste.import set state = 'failed', failure = $2, finished_at = now(), cursor = null
           where id = $1 and state = 'running'`,
    values: [id, failure],
  });
}

/** Fails what cannot be imported because its service is not set up, and takes up again what now can. */
export async function settleConfigured(pool: Pool, services: readonly TasteService[]): Promise<number> {
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

/** Keeps the account as it is until the end of the transaction. False where it is gone. */
export async function lockAccount(client: ClientBase, accountId: string): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'lock-taste-account',
    text: 'select from taste.account where id = $1 for update',
    values: [accountId],
  });
  return rowCount === 1;
}
