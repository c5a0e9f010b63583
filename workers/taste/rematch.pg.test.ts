import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { transaction } from '../../db/transaction.ts';
import { identityProjection } from '../../projections/identity/project.ts';
import { ownerLookup } from '../../projections/identity/read.ts';
import { type Registry, registerSources } from '../../projections/registry.ts';
import { clusterAliasV1 } from '../../projections/sources/mirror/cluster-alias-v1.ts';
import { performingEntity } from '../../projections/sources/seen/performing-entity.ts';
import { documentTable, liveVersion } from '../../projections/store/version.ts';
import { fillMirror } from '../../test/fill-mirror.ts';
import { CLUSTER, OTHER_CLUSTER, rowsOf, type SourceRows } from '../../test/rows/source-rows.ts';
import { withDatabase } from '../../test/services/database.ts';
import { connectAccount, matchesOf } from '../../test/taste-rows.ts';
import { rebuild } from '../project/build-version.ts';
import { matchAccounts } from './match-accounts.ts';
import { rematch } from './rematch.ts';

const { pool } = withDatabase();
let registry: Registry;

beforeAll(async () => {
  registry = await registerSources(pool);
});
beforeEach(() => serve(rowsOf(performingEntity, { name: 'Mono' })));
afterEach(() => pool.query('truncate taste.person cascade; truncate taste.matched'));

/** Serves identities made of these rows alone. */
async function serve(...given: readonly SourceRows[]): Promise<void> {
  await pool.query('truncate ingest.mirror, ingest.link');
  await fillMirror(pool, registry, given);
  await rebuild(pool, identityProjection, registry);
}

async function connectWith(...names: readonly string[]): Promise<string> {
  const { account, import: id } = await connectAccount(pool, { username: 'somebody' });
  await pool.query(
    `insert into taste.item (account_id, key, name, import_id) select $1::uuid, 'name:' || name, name, $2::uuid from unnest($3::text[]) name`,
    [account, id, names],
  );
  return account;
}

const run = () => rematch(pool, new AbortController().signal);

it('matches all accounts once, and again when an identity has changed', async () => {
  const accounts = [await connectWith('Mono'), await connectWith('Mono', 'Wax')];
  expect(await run()).toEqual({ accounts: 2, changed: 2 });
  for (const account of accounts) expect(await matchesOf(pool, account)).toEqual({ [CLUSTER]: 'name' });
  expect(await run()).toBeNull();
  await serve(rowsOf(performingEntity, { name: 'Mono' }, { cluster_id: OTHER_CLUSTER, name: 'Wax' }));
  expect(await run()).toEqual({ accounts: 2, changed: 1 });
  expect(await matchesOf(pool, accounts[0] ?? '')).toEqual({ [CLUSTER]: 'name' });
  expect(await matchesOf(pool, accounts[1] ?? '')).toEqual({ [CLUSTER]: 'name', [OTHER_CLUSTER]: 'name' });
});

it('follows a cluster that was merged, and lets go of one that is gone', async () => {
  const account = await connectWith('Mono');
  await run();
  const survivor = rowsOf(performingEntity, { cluster_id: OTHER_CLUSTER, name: 'Another' });
  await serve(
    survivor,
    rowsOf(
      clusterAliasV1,
      { cluster_id: OTHER_CLUSTER, alias: CLUSTER },
      { cluster_id: OTHER_CLUSTER, alias: 'Mono' },
    ),
  );
  expect(await run()).toEqual({ accounts: 1, changed: 2 });
  expect(await matchesOf(pool, account)).toEqual({ [OTHER_CLUSTER]: 'name' });
  await serve(survivor);
  expect(await run()).toEqual({ accounts: 1, changed: 1 });
  expect(await matchesOf(pool, account)).toEqual({});
});

it('matches none where a name has become that of several', async () => {
  const account = await connectWith('Mono');
  await run();
  await serve(rowsOf(performingEntity, { name: 'Mono' }, { cluster_id: OTHER_CLUSTER, name: 'MONO' }));
  await run();
  expect(await matchesOf(pool, account)).toEqual({});
});

it('changes nothing where another version says the same', async () => {
  const account = await connectWith('Mono');
  await run();
  await serve(rowsOf(performingEntity, { name: 'Mono' }));
  expect(await run()).toBeNull();
  expect(await matchesOf(pool, account)).toEqual({ [CLUSTER]: 'name' });
});

describe('documents', () => {
  /** How many statements of a run read every document. */
  async function reads(): Promise<number> {
    const queries = vi.spyOn(pool, 'query');
    await run();
    const texts = queries.mock.calls.map(([query]) => String(query));
    queries.mockRestore();
    return texts.filter((text) => text.includes('from read.identity')).length;
  }

  /** Has all connections tell the server what they have written, which they do within a minute by themselves. */
  async function tellWrites(): Promise<void> {
    const clients = await Promise.all(Array.from({ length: pool.totalCount }, () => pool.connect()));
    await Promise.all(clients.map((client) => client.query('select pg_stat_force_next_flush()')));
    for (const client of clients) client.release();
  }

  beforeEach(tellWrites);

  it('are not read again while none is written', async () => {
    await connectWith('Mono');
    expect([await reads(), await reads(), await reads()]).toEqual([1, 0, 0]);
  });

  it('are read again once one is written', async () => {
    const account = await connectWith('Mono');
    await run();
    expect(await matchesOf(pool, account)).toEqual({ [CLUSTER]: 'name' });
    const version = await liveVersion(pool, 'identity');
    if (version === null) throw new Error('no identity is served');
    await pool.query(`delete from ${documentTable(version)}`);
    await tellWrites();
    expect([await reads(), await reads()]).toEqual([1, 0]);
    expect(await matchesOf(pool, account)).toEqual({});
  });

  it('are read again after some hours, whatever was written', async () => {
    await run();
    expect(await reads()).toBe(0);
    await pool.query(`update taste.matched set looked_at = now() - interval '7 h'`);
    expect([await reads(), await reads()]).toEqual([1, 0]);
  });
});

it('walks more accounts than it holds at once', async () => {
  const accounts: string[] = [];
  for (let n = 0; n < 23; n++) accounts.push(await connectWith('Mono', 'Wax'));
  expect(await run()).toEqual({ accounts: 23, changed: 23 });
  for (const account of accounts) expect(await matchesOf(pool, account)).toEqual({ [CLUSTER]: 'name' });
});

it('yields to whoever holds an account, and comes back', async () => {
  const account = await connectWith('Mono');
  const holder = await pool.connect();
  await holder.query('begin');
  await holder.query('select from taste.account where id = $1 for update', [account]);
  const running = run();
  const isWaiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  while ((await pool.query(isWaiting)).rowCount === 0);
  while ((await pool.query(isWaiting)).rowCount !== 0);
  await holder.query('commit');
  holder.release();
  expect(await running).toEqual({ accounts: 1, changed: 1 });
});

it('looks up thousands of items with a few statements', async () => {
  const names = Array.from({ length: 3_000 }, (_, index) => `Artist ${index}`);
  const account = await connectWith('Mono', ...names);
  const queries = vi.spyOn(pool, 'query');
  const matched = await transaction(pool, (client) => matchAccounts(client, ownerLookup(pool), [account]));
  const statements = queries.mock.calls.length;
  queries.mockRestore();
  expect(matched).toEqual({ matchedItems: 1, changed: 1 });
  expect(statements).toBe(2);
});
