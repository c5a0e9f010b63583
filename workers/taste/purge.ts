import type { Pool } from 'pg';
import { transaction } from '../../db/transaction.ts';
import { HAS_CONSENT, hasNewerImport } from '../../projections/taste/conditions.ts';
import { erasePersons } from '../../projections/taste/erase-persons.ts';
import type { TasteSettings } from './config.ts';

const PERSONS_AT_ONCE = 100;

/** For so long is kept what was connected to a consumer that never took it up. */
const NEVER_EXCHANGED_DAYS = 7;

type PurgeSettings = Pick<TasteSettings, 'tokenDays' | 'importDays' | 'personDays' | 'unseenDays'>;

/** Rows that were removed. */
interface Purged {
  readonly codes: number;
  readonly tokens: number;
  readonly imports: number;
  readonly accounts: number;
  readonly persons: number;
}

/** Removes what has served its purpose: nothing of a person is kept longer than it takes to serve them. */
export async function purgeTaste(pool: Pool, settings: PurgeSettings, signal: AbortSignal): Promise<Purged> {
  const remove = async (name: string, text: string, values: readonly unknown[] = []): Promise<number> => {
    signal.throwIfAborted();
    return (await pool.query({ name: `purge-taste-${name}`, text, values: [...values] })).rowCount ?? 0;
  };
  const codes = await remove('codes', CODES);
  const tokens = await remove('tokens', TOKENS, [settings.tokenDays]);
  const imports = await remove('imports', IMPORTS, [settings.importDays]);
  const accounts = await remove('accounts', ACCOUNTS);
  return { codes, tokens, imports, accounts, persons: await purgePersons(pool, settings, signal) };
}

// Each passes over what somebody holds, and so waits for nobody who may be waiting for it; the next run finds it again.

/** A code of yesterday tells nobody anything. */
const CODES = `
  delete from taste.code where digest in (
    select digest from taste.code where expires_at < now() - interval '1 day' for update skip locked)`;

const TOKENS = `
  delete from taste.token where digest in (
    select digest from taste.token where least(revoked_at, expires_at) < now() - make_interval(days => $1)
    for update skip locked)`;

/** Never the newest of an account, which says how the account stands. */
const IMPORTS = `
  delete from taste.import where id in (
    select id from taste.import outdated
    where finished_at < now() - make_interval(days => $1) and ${hasNewerImport('outdated')}
    for update skip locked)`;

/** What no consent stands for any more; a day is left to whoever connects at this moment. */
const ACCOUNTS = `
  delete from taste.account where id in (
    select id from taste.account
    where connected_at < now() - interval '1 day' and not ${HAS_CONSENT}
    for update skip locked)`;

/**
 * Who has taken everything back; who cannot come back: without a token that holds, and longer away than cookies last; and
 * who connected for nothing, as forms that are sent by the thousand do.
 */
const GONE = `
  select id from taste.person
  where (
      seen_at < now() - make_interval(days => $1)
      and not exists (select from taste.consent where person_id = person.id and withdrawn_at is null)
      and not exists (select from taste.token where person_id = person.id)
    ) or (
      seen_at < now() - make_interval(days => $2)
      and not exists (
        select from taste.token where person_id = person.id and revoked_at is null and expires_at > now())
    ) or (exchanged_at is null and seen_at < now() - interval '${NEVER_EXCHANGED_DAYS} days')
  order by id limit ${PERSONS_AT_ONCE} for update skip locked`;

async function purgePersons(
  pool: Pool,
  { personDays, unseenDays }: PurgeSettings,
  signal: AbortSignal,
): Promise<number> {
  let purged = 0;
  for (;;) {
    signal.throwIfAborted();
    const persons = await transaction(pool, async (client) => {
      const { rows } = await client.query<{ id: string }>({
        name: 'gone-taste-persons',
        text: GONE,
        values: [personDays, unseenDays],
      });
      if (rows.length === 0) return 0;
      const { persons } = await erasePersons(
        client,
        rows.map(({ id }) => id),
      );
      return persons;
    });
    purged += persons;
    if (persons < PERSONS_AT_ONCE) return purged;
  }
}
