import { Client } from 'pg';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { artistMomentum } from '../../../projections/contracts/seen/artist-momentum.ts';
import { type Registry, registerSources } from '../../../projections/engine/registry.ts';
import {
  changeRecord,
  clearIngest,
  eventTime,
  ingest,
  mentionChange,
  rejectedOnce,
  states,
  UNCHANGED,
} from '../../../test/support/ingest/dead-letters.ts';
import { storedMentions } from '../../../test/support/ingest/mentions.ts';
import { withDatabase } from '../../../test/support/services/database.ts';

const { pool } = withDatabase();
let registry: Registry;

beforeAll(async () => {
  registry = await registerSources(pool);
});
afterEach(() => clearIngest(pool));

const BROKEN = { title: 12 };

describe('an open dead letter', () => {
  it('is superseded by a newer version of its key, in the same batch or a later one', async () => {
    await ingest(pool, registry, [
      mentionChange('m1', 1, BROKEN),
      mentionChange('m1', 2),
      mentionChange('m2', 3, BROKEN),
    ]);
    expect(await states(pool)).toEqual(['superseded@1', 'open@3']);
    await ingest(pool, registry, [mentionChange('m3', 4), mentionChange('m2', 5)]);
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

  it('is superseded by a newer version from any partition', async () => {
    await ingest(pool, registry, [mentionChange('m1', 9, BROKEN)], { partition: 0 });
    await ingest(pool, registry, [mentionChange('m1', 10, {}, { offset: 1 })], { partition: 1 });
    expect(await states(pool)).toEqual(['superseded@9']);
  });

  it('stays open after an older version, even one that follows in its batch', async () => {
    await ingest(pool, registry, [mentionChange('m1', 5, { title: 'five' }), mentionChange('m1', 6, BROKEN)]);
    await ingest(pool, registry, [
      mentionChange('m2', 9, BROKEN, { offset: 7 }),
      mentionChange('m2', 8, { title: 'eight' }, { offset: 8 }),
    ]);
    expect(await states(pool)).toEqual(['open@6', 'open@7']);
    expect(await storedMentions(pool)).toEqual({ m1: 'five', m2: 'eight' });
  });

  it('stays open after changes of other keys and sources', async () => {
    await ingest(pool, registry, [mentionChange('m1', 1, BROKEN)]);
    const momentum = { source: artistMomentum, key: { cluster_id: 'c1'.repeat(32) } };
    await ingest(pool, registry, [mentionChange('m2', 2)]);
    await ingest(pool, registry, [changeRecord({ ...momentum, lsn: 2, row: { is_unsigned: 'maybe' } })], {
      partition: 1,
    });
    await ingest(pool, registry, [mentionChange('m3', 3)], { partition: 1 });
    expect(await states(pool)).toEqual(['open@1', 'open@2']);
    // Here the key is the subject, and the row is written without reading the stored one.
    await ingest(pool, registry, [changeRecord({ ...momentum, lsn: 3 })], { partition: 1 });
    expect(await states(pool)).toEqual(['open@1', 'superseded@2']);
  });

  it('is superseded when it is stored if a newer row exists', async () => {
    await ingest(pool, registry, [mentionChange('m1', 9, { title: 'nine' })]);
    await ingest(pool, registry, [mentionChange('m1', 8, BROKEN), mentionChange('m2', 10, BROKEN)]);
    expect(await states(pool)).toEqual(['superseded@8', 'open@10']);
  });

  it('is superseded by its own record, read again by a release that accepts it', async () => {
    const record = mentionChange('m1', 4);
    await ingest(pool, registry, [
      rejectedOnce(record, registry),
      rejectedOnce(mentionChange('m2', 5), registry, 'version'),
    ]);
    expect(await states(pool)).toEqual(['open@4', 'open@5']);
    await ingest(pool, registry, [record, mentionChange('m2', 5)]);
    expect(await states(pool)).toEqual(['superseded@4', 'superseded@5']);
  });

  it('does not prevent a later change that leaves values out', async () => {
    await ingest(pool, registry, [mentionChange('m1', 1, { title: 'one' })]);
    await ingest(pool, registry, [
      mentionChange('m1', 2, { outlet: 12 }),
      mentionChange('m1', 3, { title: UNCHANGED }),
    ]);
    expect(await states(pool)).toEqual(['superseded@2']);
    expect(await storedMentions(pool)).toEqual({ m1: 'one' });
  });

  it('is superseded by a delete and by a truncate', async () => {
    await ingest(
      pool,
      registry,
      [1, 2, 3].map((lsn) => mentionChange(`m${lsn}`, lsn, BROKEN)),
    );
    await ingest(pool, registry, [mentionChange('m1', 4, {}, { op: 'd' })], { partition: 1 });
    expect(await states(pool)).toEqual(['superseded@1', 'open@2', 'open@3']);
    const unread = rejectedOnce(mentionChange('m5', 5), registry, 'key');
    await ingest(
      pool,
      registry,
      [unread, mentionChange('m4', 7, BROKEN), changeRecord({ op: 't', lsn: 6, offset: 8 })],
      { partition: 1 },
    );
    expect(await states(pool)).toEqual([
      'superseded@1',
      'superseded@2',
      'superseded@3',
      'superseded@5',
      'open@7',
    ]);
  });

  it('is superseded when it is stored if a truncate was newer', async () => {
    await ingest(pool, registry, [changeRecord({ op: 't', lsn: 6 })]);
    await ingest(pool, registry, [mentionChange('m1', 5, BROKEN), mentionChange('m2', 7, BROKEN)]);
    expect(await states(pool)).toEqual(['superseded@5', 'open@7']);
  });
});

describe('an open dead letter without a readable version', () => {
  const unread = (id: string, offset: number) => rejectedOnce(mentionChange(id, offset), registry, 'version');

  it('is superseded by a later record of its partition', async () => {
    await ingest(pool, registry, [unread('m1', 4), mentionChange('m1', 5), unread('m2', 6)]);
    expect(await states(pool)).toEqual(['superseded@4', 'open@6']);
    await ingest(pool, registry, [mentionChange('m2', 7, {}, { op: 'd' })]);
    expect(await states(pool)).toEqual(['superseded@4', 'superseded@6']);
  });

  it('stays open after an earlier record', async () => {
    await ingest(pool, registry, [mentionChange('m1', 4), unread('m1', 5)]);
    expect(await states(pool)).toEqual(['open@5']);
  });

  it('stays open after records of another partition', async () => {
    await ingest(pool, registry, [unread('m1', 4)]);
    await ingest(pool, registry, [mentionChange('m1', 50)], { partition: 1 });
    expect(await states(pool)).toEqual(['open@4']);
  });

  it('stays open when older records are delivered again', async () => {
    const old = mentionChange('m1', 3);
    await ingest(pool, registry, [old, unread('m1', 4), { ...old, offset: 5 }]);
    await ingest(pool, registry, [{ ...old, offset: 6 }]);
    expect(await states(pool)).toEqual(['open@4']);
  });

  it('is superseded by a truncate that comes after it in its partition', async () => {
    await ingest(pool, registry, [unread('m1', 4)]);
    await ingest(pool, registry, [unread('m2', 4)], { partition: 1 });
    await ingest(pool, registry, [changeRecord({ op: 't', lsn: 50 })]);
    expect(await states(pool)).toEqual(['superseded@4', 'open@4']);
  });
});

describe('a tombstone', () => {
  const tombstone = (id: string, offset: number) => ({
    ...mentionChange(id, offset, {}, { op: 'tombstone' }),
    timestamp: eventTime(offset),
  });

  it('supersedes earlier records of its partition with any version', async () => {
    await ingest(pool, registry, [mentionChange('m1', 1, { title: 'one' }), mentionChange('m1', 2, BROKEN)]);
    await ingest(pool, registry, [mentionChange('m2', 3, BROKEN)]);
    await ingest(pool, registry, [tombstone('m1', 4), tombstone('m2', 5)]);
    expect(await states(pool)).toEqual(['superseded@2', 'superseded@3']);
    expect(await storedMentions(pool)).toEqual({ m1: null, m2: null });
  });

  it('does not supersede later records, or those of other partitions', async () => {
    await ingest(pool, registry, [mentionChange('m1', 9, BROKEN, { offset: 2 })], { partition: 1 });
    await ingest(pool, registry, [tombstone('m1', 4), mentionChange('m1', 10, BROKEN, { offset: 5 })]);
    expect(await states(pool)).toEqual(['open@5', 'open@2']);
  });
});

describe('the dead letter of a delete', () => {
  it('stays open when its tombstone comes, and is superseded by a newer change', async () => {
    const removal = rejectedOnce(mentionChange('m1', 2, {}, { op: 'd' }), registry);
    const tombstone = mentionChange('m1', 2, {}, { op: 'tombstone', offset: 3 });
    await ingest(pool, registry, [mentionChange('m1', 1), removal, tombstone]);
    expect(await states(pool)).toEqual(['open@2']);
    expect(await storedMentions(pool)).toEqual({ m1: null });
    await ingest(pool, registry, [mentionChange('m1', 4)]);
    expect(await states(pool)).toEqual(['superseded@2']);
  });
});

describe('a dead letter that another session has locked', () => {
  it('is skipped without waiting', async () => {
    await ingest(pool, registry, [mentionChange('m1', 1, BROKEN)]);
    const other = await pool.connect();
    await other.query('begin');
    await other.query('select from ingest.dead_letter for update');
    await ingest(pool, registry, [mentionChange('m1', 2)]);
    await other.query('rollback');
    other.release();
    expect(await states(pool)).toEqual(['open@1']);
  });
});

describe('a batch', () => {
  const named = (calls: readonly (readonly unknown[])[]): string[] =>
    calls.flatMap(([query]) => (query as { name?: string } | undefined)?.name ?? []);

  it('queries once for open dead letters, and only once if there are none', async () => {
    await ingest(pool, registry, [mentionChange('m1', 1)]);
    const query = vi.spyOn(Client.prototype, 'query');
    await ingest(pool, registry, [mentionChange('m1', 2), mentionChange('m2', 3)]);
    const quiet = named(query.mock.calls);
    query.mockClear();
    await ingest(pool, registry, [mentionChange('m1', 4, BROKEN), mentionChange('m2', 5)]);
    const busy = named(query.mock.calls);
    query.mockRestore();
    const ours = (name: string): boolean => /letter|supersede/.test(name);
    expect(quiet.filter(ours)).toEqual(['sources-with-dead-letters']);
    expect(busy.filter(ours)).toEqual([
      'store-dead-letters',
      'sources-with-dead-letters',
      'supersede-by-key',
      'supersede-outdated',
    ]);
  });
});
