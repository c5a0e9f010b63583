import { afterEach, expect, it } from 'vitest';
import { withDatabase } from '../../test/support/services/database.ts';
import { connectAccount } from '../../test/support/taste/rows.ts';
import { purgeTaste } from './purge.ts';

const { pool } = withDatabase();
afterEach(() => pool.query('truncate taste.person cascade'));

const DAYS = { tokenDays: 30, importDays: 90, personDays: 30, unseenDays: 400 };
const NOTHING = { forms: 0, codes: 0, tokens: 0, imports: 0, accounts: 0, persons: 0 };

const run = (signal = new AbortController().signal) => purgeTaste(pool, DAYS, signal);
const namesIn = async (table: string) =>
  (await pool.query(`select consumer from taste.${table} order by consumer`)).rows.map(
    ({ consumer }) => consumer,
  );

it('removes nothing of a new connection', async () => {
  await connectAccount(pool, { username: 'somebody' });
  expect(await run()).toEqual(NOTHING);
});

it('removes exchanged and unused codes a day after expiry', async () => {
  const { person } = await connectAccount(pool, { username: 'somebody' });
  await pool.query(
    `insert into taste.code (digest, person_id, consumer, service, expires_at, claimed_at)
     select sha256(name::bytea), $1::uuid, name, 'catalog', now() - hours * interval '1 hour', claimed
     from (values ('old', 25, null), ('old claimed', 25, now()), ('new', 23, null), ('now', 0, now())) code (name, hours, claimed)`,
    [person],
  );
  expect(await run()).toEqual({ ...NOTHING, codes: 2 });
  expect(await namesIn('code')).toEqual(['new', 'now']);
});

it('removes tokens a month after expiry or revocation', async () => {
  const { person } = await connectAccount(pool, { username: 'somebody' });
  await pool.query(
    `insert into taste.token (digest, person_id, consumer, expires_at, revoked_at)
     select sha256(name::bytea), $1::uuid, name, now() + expires * interval '1 day', now() - revoked * interval '1 day'
     from (values ('holds', 90, null), ('expired', -29, null), ('expired long ago', -31, null),
       ('revoked', 60, 29), ('revoked long ago', 60, 31)) token (name, expires, revoked)`,
    [person],
  );
  expect(await run()).toEqual({ ...NOTHING, tokens: 2 });
  expect(await namesIn('token')).toEqual(['expired', 'holds', 'revoked']);
});

it('removes expired forms', async () => {
  await pool.query(
    `insert into taste.form (mac, expires_at)
     values ('expired', now() - interval '1 s'), ('valid', now() + interval '1 h')`,
  );
  expect(await run()).toEqual({ ...NOTHING, forms: 1 });
  expect((await pool.query('select from taste.form')).rowCount).toBe(1);
});

it('removes old imports except the newest of an account', async () => {
  const { account, import: id } = await connectAccount(pool, { username: 'somebody' });
  await pool.query(
    `update taste.import set state = 'done', finished_at = now() - interval '200 days',
       requested_at = now() - interval '200 days' where id = $1`,
    [id],
  );
  expect(await run()).toEqual(NOTHING);
  await pool.query(
    `insert into taste.import (account_id, state, requested_at, finished_at)
     select $1::uuid, 'failed', now() - days * interval '1 day', now() - days * interval '1 day'
     from unnest(array[91, 89, 100]) days`,
    [account],
  );
  expect(await run()).toEqual({ ...NOTHING, imports: 3 });
  expect((await pool.query('select from taste.import')).rowCount).toBe(1);
});

it('removes accounts without consent', async () => {
  const kept = await connectAccount(pool, { username: 'kept' });
  const dropped = await connectAccount(pool, { username: 'dropped' });
  await pool.query('update taste.consent set withdrawn_at = now() where receipt = $1', [dropped.receipt]);
  expect(await run()).toEqual(NOTHING);
  await pool.query(`update taste.account set connected_at = now() - interval '25 hours'`);
  expect(await run()).toEqual({ ...NOTHING, accounts: 1 });
  const { rows } = await pool.query('select id from taste.account');
  expect(rows).toEqual([{ id: kept.account }]);
});

it('skips locked rows and removes them in the next run', async () => {
  const { person, import: id } = await connectAccount(pool, { username: 'somebody' });
  await connectAccount(pool, { username: 'kept', consumer: 'other', person });
  await pool.query(`update taste.consent set withdrawn_at = now() where username = 'somebody'`);
  await pool.query(`update taste.account set connected_at = now() - interval '25 hours'`);
  await pool.query(
    `insert into taste.import (account_id, state, requested_at, finished_at)
     select account_id, 'done', now() - interval '91 days', now() - interval '91 days' from taste.import where id <> $1`,
    [id],
  );
  await pool.query(
    `insert into taste.token (digest, person_id, consumer, expires_at) values ('\\x01', $1, 'app', now() - interval '31 days')`,
    [person],
  );
  await pool.query(
    `insert into taste.code (digest, person_id, consumer, service, expires_at)
     values ('\\x02', $1, 'app', 'catalog', now() - interval '25 h')`,
    [person],
  );
  const holder = await pool.connect();
  try {
    await holder.query('begin');
    for (const table of ['code', 'token', 'import', 'account'])
      await holder.query(`select from taste.${table} for update`);
    expect(await run()).toEqual(NOTHING);
  } finally {
    await holder.query('rollback');
    holder.release();
  }
  expect(await run()).toEqual({ forms: 0, codes: 1, tokens: 1, imports: 1, accounts: 1, persons: 0 });
});

it('erases persons who withdrew everything, cannot return or were never exchanged', async () => {
  const people: Record<string, string> = {};
  const addPerson = async (
    name: string,
    unseenDays: number,
    withdrawn: boolean,
    token: number | null,
    isExchanged = true,
  ) => {
    const { person, receipt } = await connectAccount(pool, { username: name });
    people[person] = name;
    await pool.query(
      `update taste.person set seen_at = now() - make_interval(days => $2), exchanged_at = case when $3 then now() end
       where id = $1`,
      [person, unseenDays, isExchanged],
    );
    if (withdrawn)
      await pool.query('update taste.consent set withdrawn_at = now() where receipt = $1', [receipt]);
    if (token !== null)
      await pool.query(
        `insert into taste.token (digest, person_id, consumer, expires_at)
         values (sha256($1::bytea), $2, 'app', now() + make_interval(days => $3))`,
        [name, person, token],
      );
  };
  await addPerson('withdrawn lately', 29, true, null);
  await addPerson('withdrawn', 31, true, null);
  await addPerson('withdrawn, with a token', 31, true, -1);
  await addPerson('consenting', 399, false, null);
  await addPerson('unseen', 401, false, null);
  await addPerson('unseen, token expired', 401, false, -1);
  await addPerson('unseen, token used', 401, false, 1);
  await addPerson('never known to a consumer', 6, false, null, false);
  await addPerson('never known to a consumer for a week', 8, false, null, false);
  expect(await run()).toEqual({ ...NOTHING, persons: 4 });
  const { rows } = await pool.query('select id from taste.person');
  expect(rows.map(({ id }) => people[id]).sort()).toEqual([
    'consenting',
    'never known to a consumer',
    'unseen, token used',
    'withdrawn lately',
    'withdrawn, with a token',
  ]);
});

it('erases several batches of persons, and stops when aborted', async () => {
  await pool.query(
    `insert into taste.person (digest, seen_at) select sha256(n::text::bytea), now() - interval '31 days'
     from generate_series(1, 250) n`,
  );
  await expect(run(AbortSignal.abort(new Error('aborted')))).rejects.toThrow('aborted');
  expect(await run()).toEqual({ ...NOTHING, persons: 250 });
});
