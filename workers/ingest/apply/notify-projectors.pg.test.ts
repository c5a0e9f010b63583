import pg from 'pg';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { type Registry, registerSources } from '../../../projections/engine/registry.ts';
import { MARK_CHANNEL } from '../../../projections/engine/store/mark.ts';
import { countMarks } from '../../../projections/engine/store/version.ts';
import { artistProjection } from '../../../projections/models/artist/project.ts';
import { artistProducer } from '../../../test/support/projections/artists.ts';
import { rebuild } from '../../../test/support/projections/rebuild.ts';
import { withDatabase } from '../../../test/support/services/database.ts';
import { listenOn } from '../../../test/support/services/notifications.ts';

const { pool } = withDatabase();
let registry: Registry;

beforeAll(async () => {
  registry = await registerSources(pool);
});
afterEach(() => vi.restoreAllMocks());

const textOf = (statement: unknown): string =>
  (typeof statement === 'string' ? statement : ((statement as { text?: string }).text ?? '')).trim();

it('notifies projectors only after the commit of a batch, and never in its transaction', async () => {
  const version = await rebuild(pool, artistProjection, registry);
  const marksWhenNotified: Promise<number>[] = [];
  const listener = await listenOn(pool, MARK_CHANNEL, () =>
    marksWhenNotified.push(countMarks(pool, version)),
  );
  const open = new Map<unknown, string[]>();
  const transactions: string[][] = [];
  const query = pg.Client.prototype.query;
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    const text = textOf(args[0]);
    if (text.startsWith('begin')) open.set(this, []);
    open.get(this)?.push(text);
    if (text === 'commit') transactions.push(open.get(this) ?? []);
    if (text === 'commit') open.delete(this);
    return Reflect.apply(query, this, args);
  } as typeof query);
  const producer = artistProducer(pool, registry);
  // The first batch is also the first delivery of its source.
  await producer.revise([1, 2, 3], 1);
  await producer.revise([2, 3, 4], 2);
  await expect.poll(() => marksWhenNotified.length).toBeGreaterThan(0);
  expect(await marksWhenNotified[0]).toBeGreaterThanOrEqual(3);
  expect(transactions.filter((statements) => statements.length > 5)).toHaveLength(2);
  expect(transactions.flat().filter((text) => /notify/i.test(text))).toEqual([]);
  listener.stop();
});

it('has no function in the database that notifies, as a trigger would in the transaction of its writer', async () => {
  const { rows } = await pool.query(
    `select proname from pg_proc join pg_namespace on pg_namespace.oid = pronamespace
     where prosrc ilike '%notify%' and nspname not in ('pg_catalog', 'information_schema')`,
  );
  expect(rows).toEqual([]);
});
