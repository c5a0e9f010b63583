import { beforeEach, describe, expect, it } from 'vitest';
import { LOCKS } from '../../../db/locks.ts';
import { artistPressMentions } from '../../../projections/contracts/archive/artist-press-mentions.ts';
import { artistMomentum } from '../../../projections/contracts/seen/artist-momentum.ts';
import { type Registry, registerSources } from '../../../projections/engine/registry.ts';
import { clearIngest } from '../../../test/support/ingest/dead-letters.ts';
import {
  MENTIONS,
  mentionRecord,
  storedMentions,
  streamMentions,
} from '../../../test/support/ingest/mentions.ts';
import { rowsOf } from '../../../test/support/rows/source-rows.ts';
import { withDatabase } from '../../../test/support/services/database.ts';
import { lockWaiters } from '../../../test/support/services/lock-waiters.ts';
import { type DecodedRecord, decodeRecord, type IncomingRecord } from '../decode/envelope.ts';
import { raiseEpoch } from './epochs.ts';
import { ingestBatch } from './ingest-batch.ts';

const { pool } = withDatabase();
const NOON = Date.UTC(2026, 5, 30, 12);

/** The registry of a worker that started before. */
let worker: Registry;

beforeEach(async () => {
  await clearIngest(pool);
  worker = await registerSources(pool);
});

const raise = () =>
  raiseEpoch(pool, worker, artistPressMentions, { actor: 'mia', reason: 'restored from a dump' });

const epochsStored = async (): Promise<number[]> =>
  (
    await pool.query<{ epoch: number }>(
      `select distinct ('x' || left(version, 8))::bit(32)::int as epoch from ingest.mirror order by epoch`,
    )
  ).rows.map(({ epoch }) => epoch);

describe('a raised epoch', () => {
  it('makes changes newer at any log position, also in workers that started before', async () => {
    await streamMentions(pool, worker, { id: 'a', title: 'before', lsn: 900, atMs: NOON });
    await streamMentions(pool, worker, { id: 'a', title: 'too old', lsn: 5, atMs: NOON + 1 });
    expect(await storedMentions(pool)).toEqual({ a: 'before' });
    expect(await raise()).toBe(1);
    expect(worker.epochOf(artistPressMentions)).toBe(0);
    await streamMentions(pool, worker, { id: 'a', title: 'after', lsn: 5, atMs: NOON + 2 });
    expect(await storedMentions(pool)).toEqual({ a: 'after' });
    expect(await epochsStored()).toEqual([1]);
    expect(worker.epochOf(artistPressMentions)).toBe(1);
    expect(await raise()).toBe(2);
  });

  it('is audited with the actor and the reason', async () => {
    await raise();
    const { rows } = await pool.query('select actor, action, target, reason, detail from operation.audit');
    expect(rows).toEqual([
      {
        actor: 'mia',
        action: 'sources epoch --raise',
        target: MENTIONS,
        reason: 'restored from a dump',
        detail: { epoch: 1 },
      },
    ]);
  });

  it('applies to deletes, tombstones and truncates', async () => {
    const old = ['a', 'b', 'c'].map((id) => ({ id, lsn: 900, atMs: NOON }));
    await streamMentions(pool, worker, ...old);
    await raise();
    await streamMentions(pool, worker, { op: 'd', id: 'a', lsn: 1, atMs: NOON });
    await raise();
    await streamMentions(pool, worker, { op: 'tombstone', id: 'b', atMs: NOON + 1 });
    expect(await storedMentions(pool)).toEqual({ a: null, b: null, c: 'title of c' });
    await streamMentions(pool, await registerSources(pool), { op: 'tombstone', id: 'd', atMs: NOON + 1 });
    expect(await epochsStored()).toEqual([0, 1, 2]);
    await raise();
    await streamMentions(pool, worker, { op: 't', lsn: 1, atMs: NOON });
    expect(await storedMentions(pool)).toEqual({});
    await streamMentions(pool, worker, { id: 'a', lsn: 1, atMs: NOON });
    expect(await storedMentions(pool)).toEqual({});
    await streamMentions(pool, worker, { id: 'a', lsn: 2, atMs: NOON });
    expect(await storedMentions(pool)).toEqual({ a: 'title of a' });
  });

  it('leaves a batch decoded before it complete: rows, dead letters and position', async () => {
    await streamMentions(pool, worker, { id: 'a', lsn: 900, atMs: NOON });
    const partial = mentionRecord(
      { id: 'b', title: '__debezium_unavailable_value', lsn: 2, atMs: NOON },
      worker,
    );
    const record = { ...partial.record, offset: 3, value: '{}' };
    const broken = { record, decoded: decodeRecord(record, { prefix: 'producers', epoch: worker.epochOf }) };
    const records = [mentionRecord({ id: 'a', title: 'new', lsn: 1, atMs: NOON }, worker), partial, broken];
    await raise();
    const topicPartition = { group: 'g', topic: 't', partition: 0 };
    expect(await ingestBatch(pool, worker, { topicPartition, records, from: null, to: 4 })).toMatchObject({
      read: 3,
      applied: 1,
      changed: 1,
      deadLetters: 2,
    });
    expect(await storedMentions(pool)).toEqual({ a: 'new' });
    const { rows: deadLetters } = await pool.query(
      'select record_offset::int as offset, key, epoch from ingest.dead_letter order by record_offset',
    );
    expect(deadLetters).toEqual([
      { offset: 2, key: 'b', epoch: 1 },
      { offset: 3, key: 'b', epoch: 1 },
    ]);
    const { rows } = await pool.query(
      `select next_offset::int from ingest.position where consumer_group = 'g'`,
    );
    expect(rows).toEqual([{ next_offset: 4 }]);
  });

  it('applies to rejected changes too, in a batch without others', async () => {
    await raise();
    const { record } = mentionRecord({ id: 'a', lsn: 3, atMs: NOON }, worker);
    const value = String(record.value).replace('"url"', '"no_url"');
    const decoded = decodeRecord({ ...record, value }, { prefix: 'producers', epoch: worker.epochOf });
    expect(decoded.kind).toBe('rejected');
    const topicPartition = { group: 'g', topic: 't', partition: 0 };
    await ingestBatch(pool, worker, {
      topicPartition,
      records: [{ record, decoded }],
      from: null,
      to: 4,
    });
    const { rows } = await pool.query(
      'select key, epoch, left(version, 8) as stamped from ingest.dead_letter',
    );
    expect(rows).toEqual([{ key: 'a', epoch: 1, stamped: '00000001' }]);
  });

  it('waits for running batches', async () => {
    const client = await pool.connect();
    try {
      await client.query('begin');
      await client.query('select pg_advisory_xact_lock_shared($1)', [LOCKS.versions]);
      const raising = raise();
      await expect.poll(() => lockWaiters(pool)).toBe(1);
      const { rows } = await client.query('select epoch from ingest.source where name = $1', [MENTIONS]);
      expect(rows).toEqual([{ epoch: 0 }]);
      await client.query('commit');
      expect(await raising).toBe(1);
    } finally {
      client.release();
    }
  });

  it('may be raised while changes stream: each keeps its epoch', async () => {
    const topicPartition = { group: 'stream', topic: 'mixed', partition: 0 };
    let [isRaised, number] = [false, 0];
    const stream = async (): Promise<void> => {
      for (let left = 5; left > 0; left -= isRaised ? 1 : 0) {
        const records = [momentumRecord(++number, worker)];
        // The new log begins once the epoch is raised; until then this table's connector stands still.
        if (isRaised)
          records.push(mentionRecord({ id: 'a', title: `${left}`, lsn: 6 - left, atMs: NOON }, worker));
        await ingestBatch(pool, worker, {
          topicPartition,
          records,
          from: number === 1 ? null : number - 1,
          to: number,
        });
      }
    };
    await streamMentions(pool, worker, { id: 'a', lsn: 900, atMs: NOON });
    const streaming = stream();
    await Promise.race([streaming, expect.poll(() => number).toBeGreaterThan(2)]);
    await raiseEpoch(pool, await registerSources(pool), artistPressMentions, { actor: 'mia', reason: 'x' });
    isRaised = true;
    await streaming;
    expect(await storedMentions(pool)).toEqual({ a: '1' });
    const { rows } = await pool.query(
      `select name, left(version, 8) as epoch, row::jsonb -> 'events_recent' as number
       from ingest.mirror join ingest.source on source.id = mirror.source order by name`,
    );
    expect(rows).toEqual([
      { name: MENTIONS, epoch: '00000001', number: null },
      { name: artistMomentum.table, epoch: '00000000', number },
    ]);
  });
});

/** A change of the one row of another source. */
function momentumRecord(number: number, registry: Registry): DecodedRecord {
  const [after] = rowsOf(artistMomentum, { events_recent: number }).rows;
  const source = { ts_ms: NOON, lsn: number, sequence: `["${number}","${number}"]` };
  const record: IncomingRecord = {
    topic: `producers.${artistMomentum.table}`,
    key: null,
    value: JSON.stringify({ op: 'u', before: null, after, source }),
    headers: {},
    offset: number,
    timestamp: NOON,
  };
  return { record, decoded: decodeRecord(record, { prefix: 'producers', epoch: registry.epochOf }) };
}
