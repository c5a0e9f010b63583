import type { Pool } from 'pg';
import { transaction } from '../../db/transaction.ts';
import { type OwnerLookup, ownerLookup } from '../../projections/identity/read.ts';
import { codeFingerprint } from '../../projections/store/fingerprint.ts';
import { liveVersion } from '../../projections/store/version.ts';
import { backoffMs } from '../backoff.ts';
import { pause } from '../until-it-works.ts';
import { matchAccounts } from './match-accounts.ts';

/** Accounts that are held, and matched, together. */
const ACCOUNTS_AT_ONCE = 10;
const RETRY_MS = { first: 100, most: 5_000 };
const MOST_TRIES = 10;
/** SQLSTATE lock_not_available. */
const LOCK_NOT_AVAILABLE = '55P03';

interface Rematched {
  readonly accounts: number;
  /** Matches that were added, changed or removed. */
  readonly changed: number;
}

/**
 * Matches all accounts anew where identities, or the code that matches, have changed since that was done last.
 *
 * @returns null where nothing has changed
 */
export async function rematch(pool: Pool, signal: AbortSignal): Promise<Rematched | null> {
  const inputs = await inputsOf(pool);
  if (await isMatched(pool, inputs)) return null;
  const owner = ownerLookup(pool);
  let accounts = 0;
  let changed = 0;
  for (let after: string | null = null; ; ) {
    const batch = await patiently(signal, () => rematchNext(pool, owner, after));
    if (batch.last === null) break;
    accounts += batch.accounts;
    changed += batch.changed;
    after = batch.last;
  }
  await noteMatched(pool, inputs);
  return { accounts, changed };
}

interface Batch extends Rematched {
  /** Null where no account was left. */
  readonly last: string | null;
}

function rematchNext(pool: Pool, owner: OwnerLookup, after: string | null): Promise<Batch> {
  return transaction(pool, async (client) => {
    // Less than it takes to find a deadlock, so that it is never somebody who connects or withdraws that has to yield.
    await client.query(`set local lock_timeout = '500ms'`);
    const { rows } = await client.query<{ id: string }>({
      name: 'hold-taste-accounts',
      text: `select id from taste.account where $1::uuid is null or id > $1 order by id limit ${ACCOUNTS_AT_ONCE}
             for update`,
      values: [after],
    });
    const ids = rows.map(({ id }) => id);
    const { changed } = ids.length === 0 ? { changed: 0 } : await matchAccounts(client, owner, ids);
    return { last: ids.at(-1) ?? null, accounts: ids.length, changed };
  });
}

/** Tries again while somebody else holds what is needed. */
async function patiently<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  for (let failures = 1; ; failures++) {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      if ((error as { code?: unknown }).code !== LOCK_NOT_AVAILABLE || failures === MOST_TRIES) throw error;
      await pause(backoffMs(failures, RETRY_MS), signal);
    }
  }
}

/**
 * Identifies the identities and the code. Of the documents as they are served: a row that has changed may not be in them
 * yet, and a version that is put in place of another may have them all unchanged. Taken before anything is matched, so
 * that what changes meanwhile is found by the next run.
 */
async function inputsOf(pool: Pool): Promise<string> {
  const code = codeFingerprint('taste/match-items.ts');
  if ((await liveVersion(pool, 'identity')) === null) return code;
  const { rows } = await pool.query<{ digest: string }>(
    `select concat_ws(' ', count(*), sum(hashtextextended(key || ' ' || encode(hash, 'hex'), 0))) as digest
     from read.identity`,
  );
  return `${code} ${rows[0]?.digest}`;
}

async function isMatched(pool: Pool, inputs: string): Promise<boolean> {
  const { rowCount } = await pool.query('select from taste.matched where inputs = $1', [inputs]);
  return rowCount === 1;
}

async function noteMatched(pool: Pool, inputs: string): Promise<void> {
  await pool.query(
    `insert into taste.matched (inputs) values ($1)
     on conflict (only_row) do update set inputs = excluded.inputs, matched_at = now()`,
    [inputs],
  );
}
