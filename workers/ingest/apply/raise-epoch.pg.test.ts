import { beforeEach, describe, expect, it, vi } from 'vitest';
import { LOCKS } from '../../../db/locks.ts';
import { type Registry, registerSources } from '../../../projections/registry.ts';
import { artistPressMentions } from '../../../projections/sources/archive/artist-press-mentions.ts';
import { artistMomentum } from '../../../projections/sources/seen/artist-momentum.ts';
import {
  forgetMentions,
  MENTIONS,
  mentionRecord,
  storedMentions,
  streamMentions,
} from '../../../test/mentions.ts';
import { rowsOf } from '../../../test/rows/source-rows.ts';
import { withDatabase } from '../../../test/services/database.ts';
import { type DecodedRecord, decodeRecord, type IncomingRecord } from '../decode/envelope.ts';
import { ingestBatch } from '../ingest-batch.ts';
import { raiseEpoch } from './raise-epoch.ts';

const { pool } = withDatabase();
const NOON = Date.UTC(2026, 5, 30, 12);

/** What a worker knows that was started before. */
let worker: Registry;

beforeEach(async () => {
  await forgetMentions(pool);
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
  it('makes changes newer whatever their log positions, also by workers that were started before', async () => {
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

  it('is told with who raised it and why', async () => {
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

  it('holds for deletes, tombstones and truncates', async () => {
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

  it('leaves a batch whole that was decoded before it: rows, dead letters and position', async () => {
    await streamMentions(pool, worker, { id: 'a', lsn: 900, atMs: NOON });
    const partial = mentionRecord(
      { id: 'b', title: '__debezium_unavailable_value', lsn: 2, atMs: NOON },
      worker,
    );
    const record = { ...partial.record, offset: 3, value: '{}' };
    const broken = { record, decoded: decodeRecord(record, { prefix: 'producers', epoch: worker.epochOf }) };
    const records = [mentionRecord({ id: 'a', title: 'new', lsn: 1, atMs: NOON }, worker), partial, broken];
    await raise();
    const place = { group: 'g', topic: 't', partition: 0 };
    expect(await ingestBatch(pool, worker, place, records, null, 4)).toEqual({
      applied: 1,
      changed: 1,
      deadLetters: 2,
    });
    expect(await storedMentions(pool)).toEqual({ a: 'new' });
    const { rows: letters } = await pool.query(
      'select record_offset::int as offset, key, epoch from ingest.dead_letter order by record_offset',
    );
    expect(letters).toEqual([
      { offset: 2, key: 'b', epoch: 1 },
      { offset: 3, key: 'b', epoch: 1 },
    ]);
    const { rows } = await pool.query(
      `select next_offset::int from ingest.position where consumer_group = 'g'`,
    );
    expect(rows).toEqual([{ next_offset: 4 }]);
  });

  it('is that of refused changes too, where a batch holds nothing else', async () => {
    await raise();
    const { record } = mentionRecord({ id: 'a', lsn: 3, atMs: NOON }, worker);
    const value = String(record.value).replace('"url"', '"no_url"');
    const decoded = decodeRecord({ ...record, value }, { prefix: 'producers', epoch: worker.epochOf });
    expect(decoded.kind).toBe('refused');
    const place = { group: 'g', topic: 't', partition: 0 };
    await ingestBatch(pool, worker, place, [{ record, decoded }], null, 4);
    const { rows } = await pool.query(
      'select key, epoch, left(version, 8) as stamped from ingest.dead_letter',
    );
    expect(rows).toEqual([{ key: 'a', epoch: 1, stamped: '00000001' }]);
  });

  it('waits for the batches under way', async () => {
    const client = await pool.connect();
    try {
      await client.query('begin');
      await client.query('select pg_advisory_xact_lock_shared($1)', [LOCKS.versions]);
      const raising = raise();
      await vi.waitFor(async () => {
        const { rows } = await pool.query(
          `select from pg_locks where locktype = 'advisory' and objid = $1 and not granted
             and database = (select oid from pg_database where datname = current_database())`,
          [LOCKS.versions],
        );
        expect(rows).toHaveLength(1);
      });
      const { rows } = await client.query('select epoch from ingest.source where name = $1', [MENTIONS]);
      expect(rows).toEqual([{ epoch: 0 }]);
      await client.query('commit');
      expect(await raising).toBe(1);
    } finally {
      client.release();
    }
  });

  it('comes while other changes stream, which stay in their epoch, beside those of the new log', async () => {
    const place = { group: 'stream', topic: 'mixed', partition: 0 };
    let [isRaised, number] = [false, 0];
    const stream = async (): Promise<void> => {
      for (let left = 5; left > 0; left -= isRaised ? 1 : 0) {
        const records = [momentumRecord(++number, worker)];
        // The new log begins once the epoch is raised; until then this table's connector stands still.
        if (isRaised)
          records.push(mentionRecord({ id: 'a', title: `${left}`, lsn: 6 - left, atMs: NOON }, worker));
        await ingestBatch(pool, worker, place, records, number === 1 ? null : number - 1, number);
      }
    };
    await streamMentions(pool, worker, { id: 'a', lsn: 900, atMs: NOON });
    const streaming = stream();
    await vi.waitFor(() => expect(number).toBeGreaterThan(2));
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
