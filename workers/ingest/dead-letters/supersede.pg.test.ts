import { Client } from 'pg';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Registry, registerSources } from '../../../projections/registry.ts';
import { artistMomentum } from '../../../projections/sources/seen/artist-momentum.ts';
import {
  changeEvent,
  forgetAll,
  ingest,
  mentionEvent,
  refusedOnce,
  states,
  timeOf,
  titles,
  UNCHANGED,
} from '../../../test/letters.ts';
import { withDatabase } from '../../../test/services/database.ts';

const { pool } = withDatabase();
let registry: Registry;

beforeAll(async () => {
  registry = await registerSources(pool);
});
afterEach(() => forgetAll(pool));

const BROKEN = { title: 12 };

describe('an open letter', () => {
  it('is superseded by a newer version of its key, in the same batch or a later one', async () => {
    await ingest(pool, registry, [
      mentionEvent('m1', 1, BROKEN),
      mentionEvent('m1', 2),
      mentionEvent('m2', 3, BROKEN),
    ]);
    expect(await states(pool)).toEqual(['superseded@1', 'open@3']);
    await ingest(pool, registry, [mentionEvent('m3', 4), mentionEvent('m2', 5)]);
    expect(await states(pool)).toEqual(['superseded@1', 'superseded@3']);
    const { rows } = await pool.query(
      `select settled_by, reason, settled_at is not null as has_time, class, violations from ingest.dead_letter
       where record_offset = 3`,
    );
    expect(rows).toEqual([
      {
        settled_by: 'ingest',
        reason: 'something newer was applied',
        has_time: true,
        class: 'contract',
        violations: [{ field: 'title', reason: 'not_text' }],
      },
    ]);
  });

  it('is superseded wherever the newer version comes from', async () => {
    await ingest(pool, registry, [mentionEvent('m1', 9, BROKEN)], 0);
    await ingest(pool, registry, [mentionEvent('m1', 10, {}, { offset: 1 })], 1);
    expect(await states(pool)).toEqual(['superseded@9']);
  });

  it('stays open behind an older version, also where that comes later in its batch', async () => {
    await ingest(pool, registry, [mentionEvent('m1', 5, { title: 'five' }), mentionEvent('m1', 6, BROKEN)]);
    await ingest(pool, registry, [
      mentionEvent('m2', 9, BROKEN, { offset: 7 }),
      mentionEvent('m2', 8, { title: 'eight' }, { offset: 8 }),
    ]);
    expect(await states(pool)).toEqual(['open@6', 'open@7']);
    expect(await titles(pool)).toEqual({ m1: 'five', m2: 'eight' });
  });

  it('is left alone by other keys and other sources', async () => {
    await ingest(pool, registry, [mentionEvent('m1', 1, BROKEN)]);
    const momentum = { source: artistMomentum, key: { cluster_id: 'c1'.repeat(32) } };
    await ingest(pool, registry, [mentionEvent('m2', 2)]);
    await ingest(pool, registry, [changeEvent({ ...momentum, lsn: 2, row: { is_unsigned: 'maybe' } })], 1);
    await ingest(pool, registry, [mentionEvent('m3', 3)], 1);
    expect(await states(pool)).toEqual(['open@1', 'open@2']);
    // Here the key is the subject, and the row is written without a look at the stored one.
    await ingest(pool, registry, [changeEvent({ ...momentum, lsn: 3 })], 1);
    expect(await states(pool)).toEqual(['open@1', 'superseded@2']);
  });

  it('is superseded at once where something newer is stored', async () => {
    await ingest(pool, registry, [mentionEvent('m1', 9, { title: 'nine' })]);
    await ingest(pool, registry, [mentionEvent('m1', 8, BROKEN), mentionEvent('m2', 10, BROKEN)]);
    expect(await states(pool)).toEqual(['superseded@8', 'open@10']);
  });

  it('is superseded by the record itself, read again by code that takes it', async () => {
    const record = mentionEvent('m1', 4);
    await ingest(pool, registry, [
      refusedOnce(record, registry),
      refusedOnce(mentionEvent('m2', 5), registry, 'version'),
    ]);
    expect(await states(pool)).toEqual(['open@4', 'open@5']);
    await ingest(pool, registry, [record, mentionEvent('m2', 5)]);
    expect(await states(pool)).toEqual(['superseded@4', 'superseded@5']);
  });

  it('does not keep a later change that leaves values out from applying', async () => {
    await ingest(pool, registry, [mentionEvent('m1', 1, { title: 'one' })]);
    await ingest(pool, registry, [
      mentionEvent('m1', 2, { outlet: 12 }),
      mentionEvent('m1', 3, { title: UNCHANGED }),
    ]);
    expect(await states(pool)).toEqual(['superseded@2']);
    expect(await titles(pool)).toEqual({ m1: 'one' });
  });

  it('is superseded by a delete and by a truncate', async () => {
    await ingest(
      pool,
      registry,
      [1, 2, 3].map((lsn) => mentionEvent(`m${lsn}`, lsn, BROKEN)),
    );
    await ingest(pool, registry, [mentionEvent('m1', 4, {}, { op: 'd' })], 1);
    expect(await states(pool)).toEqual(['superseded@1', 'open@2', 'open@3']);
    const unread = refusedOnce(mentionEvent('m5', 5), registry, 'key');
    await ingest(
      pool,
      registry,
      [unread, mentionEvent('m4', 7, BROKEN), changeEvent({ op: 't', lsn: 6, offset: 8 })],
      1,
    );
    expect(await states(pool)).toEqual([
      'superseded@1',
      'superseded@2',
      'superseded@3',
      'superseded@5',
      'open@7',
    ]);
  });

  it('is superseded at once where a truncate was newer', async () => {
    await ingest(pool, registry, [changeEvent({ op: 't', lsn: 6 })]);
    await ingest(pool, registry, [mentionEvent('m1', 5, BROKEN), mentionEvent('m2', 7, BROKEN)]);
    expect(await states(pool)).toEqual(['superseded@5', 'open@7']);
  });
});

describe('an open letter whose version could not be read', () => {
  const unread = (id: string, offset: number) => refusedOnce(mentionEvent(id, offset), registry, 'version');

  it('is superseded by what comes after it in its partition', async () => {
    await ingest(pool, registry, [unread('m1', 4), mentionEvent('m1', 5), unread('m2', 6)]);
    expect(await states(pool)).toEqual(['superseded@4', 'open@6']);
    await ingest(pool, registry, [mentionEvent('m2', 7, {}, { op: 'd' })]);
    expect(await states(pool)).toEqual(['superseded@4', 'superseded@6']);
  });

  it('stays open after what came before it', async () => {
    await ingest(pool, registry, [mentionEvent('m1', 4), unread('m1', 5)]);
    expect(await states(pool)).toEqual(['open@5']);
  });

  it('stays open whatever comes from another partition', async () => {
    await ingest(pool, registry, [unread('m1', 4)]);
    await ingest(pool, registry, [mentionEvent('m1', 50)], 1);
    expect(await states(pool)).toEqual(['open@4']);
  });

  it('stays open when older records are delivered again', async () => {
    const old = mentionEvent('m1', 3);
    await ingest(pool, registry, [old, unread('m1', 4), { ...old, offset: 5 }]);
    await ingest(pool, registry, [{ ...old, offset: 6 }]);
    expect(await states(pool)).toEqual(['open@4']);
  });

  it('is superseded by a truncate that comes after it in its partition', async () => {
    await ingest(pool, registry, [unread('m1', 4)]);
    await ingest(pool, registry, [unread('m2', 4)], 1);
    await ingest(pool, registry, [changeEvent({ op: 't', lsn: 50 })]);
    expect(await states(pool)).toEqual(['superseded@4', 'open@4']);
  });
});

describe('a tombstone', () => {
  const tombstone = (id: string, offset: number) => ({
    ...mentionEvent(id, offset, {}, { op: 'tombstone' }),
    timestamp: timeOf(offset),
  });

  it('supersedes what came before it in its partition, whatever its version', async () => {
    await ingest(pool, registry, [mentionEvent('m1', 1, { title: 'one' }), mentionEvent('m1', 2, BROKEN)]);
    await ingest(pool, registry, [mentionEvent('m2', 3, BROKEN)]);
    await ingest(pool, registry, [tombstone('m1', 4), tombstone('m2', 5)]);
    expect(await states(pool)).toEqual(['superseded@2', 'superseded@3']);
    expect(await titles(pool)).toEqual({ m1: null, m2: null });
  });

  it('leaves alone what comes after it, or elsewhere', async () => {
    await ingest(pool, registry, [mentionEvent('m1', 9, BROKEN, { offset: 2 })], 1);
    await ingest(pool, registry, [tombstone('m1', 4), mentionEvent('m1', 10, BROKEN, { offset: 5 })]);
    expect(await states(pool)).toEqual(['open@5', 'open@2']);
  });
});

describe('a delete that waits', () => {
  it('waits on when its tombstone comes, and is superseded by what is newer', async () => {
    const removal = refusedOnce(mentionEvent('m1', 2, {}, { op: 'd' }), registry);
    const tombstone = mentionEvent('m1', 2, {}, { op: 'tombstone', offset: 3 });
    await ingest(pool, registry, [mentionEvent('m1', 1), removal, tombstone]);
    expect(await states(pool)).toEqual(['open@2']);
    expect(await titles(pool)).toEqual({ m1: null });
    await ingest(pool, registry, [mentionEvent('m1', 4)]);
    expect(await states(pool)).toEqual(['superseded@2']);
  });
});

describe('a letter in the hands of someone else', () => {
  it('is left to them, and nothing waits', async () => {
    await ingest(pool, registry, [mentionEvent('m1', 1, BROKEN)]);
    const other = await pool.connect();
    await other.query('begin');
    await other.query('select from ingest.dead_letter for update');
    await ingest(pool, registry, [mentionEvent('m1', 2)]);
    await other.query('rollback');
    other.release();
    expect(await states(pool)).toEqual(['open@1']);
  });
});

describe('a batch', () => {
  const named = (calls: readonly (readonly unknown[])[]): string[] =>
    calls.flatMap(([query]) => (query as { name?: string } | undefined)?.name ?? []);

  it('asks once for open letters, and does no more where there are none', async () => {
    await ingest(pool, registry, [mentionEvent('m1', 1)]);
    const query = vi.spyOn(Client.prototype, 'query');
    await ingest(pool, registry, [mentionEvent('m1', 2), mentionEvent('m2', 3)]);
    const quiet = named(query.mock.calls);
    query.mockClear();
    await ingest(pool, registry, [mentionEvent('m1', 4, BROKEN), mentionEvent('m2', 5)]);
    const busy = named(query.mock.calls);
    query.mockRestore();
    const ours = (name: string): boolean => /letter|supersede/.test(name);
    expect(quiet.filter(ours)).toEqual(['sources-with-letters']);
    expect(busy.filter(ours)).toEqual([
      'keep-dead-letters',
      'sources-with-letters',
      'supersede-by-key',
      'supersede-late',
    ]);
  });
});
