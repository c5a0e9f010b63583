import type { Pool } from 'pg';
import { transaction } from '../../db/transaction.ts';
import { HAS_CONSENT, hasNewerImport } from '../../projections/models/taste/conditions.ts';
import { erasePersons } from '../../projections/models/taste/erase-persons.ts';
import type { TasteSettings } from './config.ts';

const PERSONS_PER_BATCH = 100;

/** Retention of connections whose consumer never exchanged the code. */
const NEVER_EXCHANGED_DAYS = 7;

type PurgeSettings = Pick<TasteSettings, 'tokenDays' | 'importDays' | 'personDays' | 'unseenDays'>;

/** Removed rows. */
interface PurgeCounts {
  readonly forms: number;
  readonly codes: number;
  readonly tokens: number;
  readonly imports: number;
  readonly accounts: number;
  readonly persons: number;
}

/** Removes personal data that is no longer needed. */
export async function purgeTaste(
  pool: Pool,
  settings: PurgeSettings,
  signal: AbortSignal,
): Promise<PurgeCounts> {
  const remove = async (name: string, text: string, values: readonly unknown[] = []): Promise<number> => {
    signal.throwIfAborted();
    return (await pool.query({ name: `purge-taste-${name}`, text, values: [...values] })).rowCount ?? 0;
  };
  const forms = await remove('forms', FORMS);
  const codes = await remove('codes', CODES);
  const tokens = await remove('tokens', TOKENS, [settings.tokenDays]);
  const imports = await remove('imports', IMPORTS, [settings.importDays]);
  const accounts = await remove('accounts', ACCOUNTS);
  return { forms, codes, tokens, imports, accounts, persons: await purgePersons(pool, settings, signal) };
}

// Each statement skips locked rows to avoid deadlocks. The next run removes them.

const FORMS = 'delete from taste.form where expires_at < now()';

const CODES = `
  delete from taste.code where digest in (
    select digest from taste.code where expires_at < now() - interval '1 day' for update skip locked)`;

const TOKENS = `
  delete from taste.token where digest in (
    select digest from taste.token where least(revoked_at, expires_at) < now() - make_interval(days => $1)
    for update skip locked)`;

/** Keeps the newest import of each account, which holds the account's state. */
const IMPORTS = `
  delete from taste.import where id in (
    select id from taste.import outdated
    where finished_at < now() - make_interval(days => $1) and ${hasNewerImport('outdated')}
    for update skip locked)`;

/** Accounts without consent. The day of grace protects connections in progress. */
const ACCOUNTS = `
  delete from taste.account where id in (
    select id from taste.account
    where connected_at < now() - interval '1 day' and not ${HAS_CONSENT}
    for update skip locked)`;

/**
 * Persons with neither consent nor token; persons without a valid token whose cookie has expired; and persons whose
 * connection no consumer ever exchanged.
 */
const REMOVABLE_PERSONS = `
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
  order by id limit ${PERSONS_PER_BATCH} for update skip locked`;

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
        text: REMOVABLE_PERSONS,
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
    if (persons < PERSONS_PER_BATCH) return purged;
  }
}
