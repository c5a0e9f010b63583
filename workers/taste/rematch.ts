import type { Pool } from 'pg';
import { transaction } from '../../db/transaction.ts';
import { retry } from '../../infra/runtime/retry.ts';
import { documentTable, liveVersion } from '../../projections/engine/store/version.ts';
import {
  MATCHING_VERSION,
  type MatchLookups,
  matchLookups,
} from '../../projections/models/taste/match-items.ts';
import { matchAccounts } from './match-accounts.ts';

/** One transaction locks and matches one batch. */
const ACCOUNTS_PER_BATCH = 10;
const LOCK_BACKOFF = { firstMs: 100, maxMs: 5_000 };
const MAX_RETRIES = 9;
/** SQLSTATE lock_not_available. */
const LOCK_NOT_AVAILABLE = '55P03';

interface RematchCounts {
  readonly accounts: number;
  /** Matches that were added, changed or removed. */
  readonly changed: number;
}

/**
 * Matches all accounts again if identities or the matching code have changed since the last run.
 *
 * @returns null if nothing has changed
 */
export async function rematch(pool: Pool, signal: AbortSignal): Promise<RematchCounts | null> {
  const sign = await writeSignOf(pool);
  if (sign !== null && (await hasNoWrites(pool, sign))) return null;
  const inputs = await inputsOf(pool);
  if (await isMatched(pool, inputs, sign)) return null;
  const lookups = matchLookups(pool);
  let accounts = 0;
  let changed = 0;
  for (let after: string | null = null; ; ) {
    const batch = await retry(() => rematchNext(pool, lookups, after), {
      backoff: LOCK_BACKOFF,
      retries: MAX_RETRIES,
      signal,
      isRetryable: (error) => (error as { code?: unknown }).code === LOCK_NOT_AVAILABLE,
    });
    if (batch.last === null) break;
    accounts += batch.accounts;
    changed += batch.changed;
    after = batch.last;
  }
  await recordMatched(pool, inputs, sign);
  return { accounts, changed };
}

interface Batch extends RematchCounts {
  /** Null if no account was left. */
  readonly last: string | null;
}

function rematchNext(pool: Pool, lookups: MatchLookups, after: string | null): Promise<Batch> {
  return transaction(pool, async (client) => {
    // Shorter than deadlock_timeout, so that this transaction yields and never a person who connects or withdraws.
    await client.query(`set local lock_timeout = '500ms'`);
    const { rows } = await client.query<{ id: string }>({
      name: 'hold-taste-accounts',
      text: `select id from taste.account where $1::uuid is null or id > $1 order by id limit ${ACCOUNTS_PER_BATCH}
             for update`,
      values: [after],
    });
    const ids = rows.map(({ id }) => id);
    const { changed } = ids.length === 0 ? { changed: 0 } : await matchAccounts(client, lookups, ids);
    return { last: ids.at(-1) ?? null, accounts: ids.length, changed };
  });
}

/**
 * Digest of the served identity documents and the matching code. It covers documents rather than rows or versions: changed
 * rows may not be projected yet, and a new version may have equal documents. Read before matching, so that the next run
 * finds later changes.
 */
async function inputsOf(pool: Pool): Promise<string> {
  const code = `${MATCHING_VERSION}`;
  if ((await liveVersion(pool, 'identity')) === null) return code;
  const { rows } = await pool.query<{ digest: string }>(
    `select concat_ws(' ', count(*), sum(hashtextextended(key || ' ' || encode(hash, 'hex'), 0))) as digest
     from read.identity`,
  );
  return `${code} ${rows[0]?.digest}`;
}

/** Forces a full comparison, because Postgres loses its write counts in a crash. */
const FULL_CHECK_INTERVAL = '6 hours';

/**
 * Identifies the served version and its write counts without reading documents. Postgres counts writes shortly after
 * commit, so a sign taken before reading the documents never covers later writes. Null if Postgres does not count.
 */
async function writeSignOf(pool: Pool): Promise<string | null> {
  const code = `${MATCHING_VERSION}`;
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

/** Whether nothing was written since the last full comparison. */
async function hasNoWrites(pool: Pool, sign: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    'select from taste.matched where sign = $1 and looked_at > now() - $2::interval',
    [sign, FULL_CHECK_INTERVAL],
  );
  return rowCount === 1;
}

/** Whether the last run matched the same inputs. If so, records this full comparison. */
async function isMatched(pool: Pool, inputs: string, sign: string | null): Promise<boolean> {
  const { rowCount } = await pool.query(
    'update taste.matched set sign = $2, looked_at = now() where inputs = $1',
    [inputs, sign],
  );
  return rowCount === 1;
}

async function recordMatched(pool: Pool, inputs: string, sign: string | null): Promise<void> {
  await pool.query(
    `insert into taste.matched (inputs, sign, looked_at) values ($1, $2, now())
     on conflict (only_row) do update set inputs = excluded.inputs, sign = excluded.sign,
       looked_at = excluded.looked_at, matched_at = now()`,
    [inputs, sign],
  );
}
