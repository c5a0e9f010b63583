import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { transaction } from '../../db/transaction.ts';
import { clusterAliasV1 } from '../../projections/contracts/mirror/cluster-alias-v1.ts';
import { performingEntity } from '../../projections/contracts/seen/performing-entity.ts';
import { type Registry, registerSources } from '../../projections/engine/registry.ts';
import { documentTable } from '../../projections/engine/store/version.ts';
import { identityProjection } from '../../projections/models/identity/project.ts';
import { matchLookups } from '../../projections/models/taste/match-items.ts';
import { fillMirror } from '../../test/support/ingest/fill-mirror.ts';
import { rebuild } from '../../test/support/projections/rebuild.ts';
import { servedVersion } from '../../test/support/projections/served-version.ts';
import { CLUSTER, OTHER_CLUSTER, rowsOf, type SourceRows } from '../../test/support/rows/source-rows.ts';
import { withDatabase } from '../../test/support/services/database.ts';
import { lockWaiters } from '../../test/support/services/lock-waiters.ts';
import { connectAccount, matchesOf } from '../../test/support/taste/rows.ts';
import { matchAccounts } from './match-accounts.ts';
import { rematch } from './rematch.ts';

const { pool } = withDatabase();
let registry: Registry;

beforeAll(async () => {
  registry = await registerSources(pool);
});
beforeEach(() => serve(rowsOf(performingEntity, { name: 'Mono' })));
afterEach(() => pool.query('truncate taste.person cascade; truncate taste.matched'));

/** Serves only identities built from these rows. */
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

it('follows a merged cluster, and drops matches of a removed one', async () => {
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

it('matches nothing once several clusters share the name', async () => {
  const account = await connectWith('Mono');
  await run();
  await serve(rowsOf(performingEntity, { name: 'Mono' }, { cluster_id: OTHER_CLUSTER, name: 'MONO' }));
  await run();
  expect(await matchesOf(pool, account)).toEqual({});
});

it('changes nothing if another version has equal documents', async () => {
  const account = await connectWith('Mono');
  await run();
  await serve(rowsOf(performingEntity, { name: 'Mono' }));
  expect(await run()).toBeNull();
  expect(await matchesOf(pool, account)).toEqual({ [CLUSTER]: 'name' });
});

describe('documents', () => {
  /** Counts statements of a run that read all documents. */
  async function reads(): Promise<number> {
    const queries = vi.spyOn(pool, 'query');
    await run();
    const texts = queries.mock.calls.map(([query]) => String(query));
    queries.mockRestore();
    return texts.filter((text) => text.includes('from read.identity')).length;
  }

  /** Flushes the write counts of all connections, which Postgres otherwise does within a minute. */
  async function flushWriteCounts(): Promise<void> {
    const clients = await Promise.all(Array.from({ length: pool.totalCount }, () => pool.connect()));
    await Promise.all(clients.map((client) => client.query('select pg_stat_force_next_flush()')));
    for (const client of clients) client.release();
  }

  beforeEach(flushWriteCounts);

  it('are not read again without a write', async () => {
    await connectWith('Mono');
    expect([await reads(), await reads(), await reads()]).toEqual([1, 0, 0]);
  });

  it('are read again after a write', async () => {
    const account = await connectWith('Mono');
    await run();
    expect(await matchesOf(pool, account)).toEqual({ [CLUSTER]: 'name' });
    const version = await servedVersion(pool, 'identity');
    await pool.query(`delete from ${documentTable(version)}`);
    await flushWriteCounts();
    expect([await reads(), await reads()]).toEqual([1, 0]);
    expect(await matchesOf(pool, account)).toEqual({});
  });

  it('are read again after some hours without a write', async () => {
    await run();
    expect(await reads()).toBe(0);
    await pool.query(`update taste.matched set looked_at = now() - interval '7 h'`);
    expect([await reads(), await reads()]).toEqual([1, 0]);
  });
});

it('matches several batches of accounts', async () => {
  const accounts: string[] = [];
  for (let n = 0; n < 23; n++) accounts.push(await connectWith('Mono', 'Wax'));
  expect(await run()).toEqual({ accounts: 23, changed: 23 });
  for (const account of accounts) expect(await matchesOf(pool, account)).toEqual({ [CLUSTER]: 'name' });
});

it('yields to the holder of an account lock and retries', async () => {
  const account = await connectWith('Mono');
  const holder = await pool.connect();
  await holder.query('begin');
  await holder.query('select from taste.account where id = $1 for update', [account]);
  const running = run();
  await expect.poll(() => lockWaiters(pool)).toBe(1);
  await expect.poll(() => lockWaiters(pool)).toBe(0);
  await holder.query('commit');
  holder.release();
  expect(await running).toEqual({ accounts: 1, changed: 1 });
});

it('looks up thousands of items with a few statements', async () => {
  const names = Array.from({ length: 3_000 }, (_, index) => `Artist ${index}`);
  const account = await connectWith('Mono', ...names);
  const queries = vi.spyOn(pool, 'query');
  const matched = await transaction(pool, (client) => matchAccounts(client, matchLookups(pool), [account]));
  const statements = queries.mock.calls.length;
  queries.mockRestore();
  expect(matched).toEqual({ matchedItems: 1, changed: 1 });
  expect(statements).toBe(2);
});
