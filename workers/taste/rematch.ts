import type { Pool } from 'pg';
import { transaction } from '../../db/transaction.ts';
import { type OwnerLookup, ownerLookup } from '../../projections/identity/read.ts';
import { codeFingerprint } from '../../projections/store/fingerprint.ts';
import { documentTable, liveVersion } from '../../projections/store/version.ts';
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
  const sign = await signOf(pool);
  if (sign !== null && (await isUntouched(pool, sign))) return null;
  const inputs = await inputsOf(pool);
  if (await isMatched(pool, inputs, sign)) return null;
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
  await noteMatched(pool, inputs, sign);
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

/** Everything is looked at after so long, whatever the sign: the server forgets its counts in a crash. */
const LOOK_EVERY = '6 hours';

/**
 * Tells, without reading a document, which ones are served and how often any was written, as the server counts it. Writes
 * are counted after they are committed, a little later, so that a sign from before the documents were read is of no later
 * ones. Null where the server does not count.
 */
async function signOf(pool: Pool): Promise<string | null> {
  const code = codeFingerprint('taste/match-items.ts');
  const live = await liveVersion(pool, 'identity');
  if (live === null) return code;
  const { rows } = await pool.query<{ writes: string | null }>(
    `select case when current_setting('track_counts')::boolean then nullif(concat_ws(' ',
         pg_stat_get_tuples_inserted(id), pg_stat_get_tuples_updated(id), pg_stat_get_tuples_deleted(id)), '')
       end as writes
     from (select to_regclass($1)::oid as id) documents`,
    [documentTable(live)],
  );
  const writes = rows[0]?.writes ?? null;
  return writes === null ? null : `${code} ${live.id} ${writes}`;
}

/** Whether nothing was written since all was looked at last. */
async function isUntouched(pool: Pool, sign: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    'select from taste.matched where sign = $1 and looked_at > now() - $2::interval',
    [sign, LOOK_EVERY],
  );
  return rowCount === 1;
}

/** Whether this is what was matched against last; if so, all was looked at now. */
async function isMatched(pool: Pool, inputs: string, sign: string | null): Promise<boolean> {
  const { rowCount } = await pool.query(
    'update taste.matched set sign = $2, looked_at = now() where inputs = $1',
    [inputs, sign],
  );
  return rowCount === 1;
}

async function noteMatched(pool: Pool, inputs: string, sign: string | null): Promise<void> {
  await pool.query(
    `insert into taste.matched (inputs, sign, looked_at) values ($1, $2, now())
     on conflict (only_row) do update set inputs = excluded.inputs, sign = excluded.sign,
       looked_at = excluded.looked_at, matched_at = now()`,
    [inputs, sign],
  );
}
