import { beforeEach, describe, expect, it } from 'vitest';
import { artistPressMentions } from '../../../projections/contracts/archive/artist-press-mentions.ts';
import { catalogMaster } from '../../../projections/contracts/catalog/master.ts';
import { type RecordCounts, readBacklog } from '../../../projections/engine/freshness/backlog.ts';
import { freshnessMetrics } from '../../../projections/engine/freshness/freshness-metrics.ts';
import { readFreshness } from '../../../projections/engine/freshness/read-freshness.ts';
import { type Registry, registerSources } from '../../../projections/engine/registry.ts';
import {
  changeRecord,
  clearIngest,
  decodedRecord,
  mentionChange,
  UNCHANGED,
} from '../../../test/support/ingest/dead-letters.ts';
import { withDatabase } from '../../../test/support/services/database.ts';
import type { IncomingRecord } from '../decode/envelope.ts';
import { raiseEpoch } from './epochs.ts';
import { ingestBatch } from './ingest-batch.ts';
import { PositionLost } from './position.ts';

const { pool } = withDatabase();
const MENTIONS = artistPressMentions.table;
const TOPIC = `producers.${MENTIONS}`;
let registry: Registry;

beforeEach(async () => {
  await clearIngest(pool);
  registry = await registerSources(pool);
});

/** Reads records as the next batch of a partition. */
async function read(records: readonly IncomingRecord[], topic = TOPIC, group = 'g') {
  const { rows } = await pool.query<{ at: number }>(
    'select next_offset::int as at from ingest.position where consumer_group = $1 and topic = $2',
    [group, topic],
  );
  const from = rows[0]?.at ?? null;
  return ingestBatch(pool, registry, {
    topicPartition: { group, topic, partition: 0 },
    records: records.map((record) => decodedRecord(record, registry)),
    from,
    to: (from ?? 0) + records.length,
  });
}

const counts = async () => (await readBacklog(pool)).records;
const sumOf = ({ applied, older, equal, deadLetters, ignored }: RecordCounts) =>
  applied + older + equal + deadLetters + ignored;

const plain = (topic: string, value: unknown): IncomingRecord => {
  return {
    topic,
    key: null,
    value: JSON.stringify(value),
    headers: {},
    offset: 0,
    timestamp: 1_700_000_000_000,
  };
};
const tombstone = (id: string, lsn: number) => mentionChange(id, lsn, {}, { op: 'tombstone' });

describe('every record has exactly one outcome', () => {
  it('whatever its kind, and the counts of a partition add up to the records read', async () => {
    const master = (title: unknown, lsn: number) =>
      changeRecord({ source: catalogMaster, key: { master_id: 1 }, row: { title }, lsn });
    const batches: [outcome: string, topic: string, records: IncomingRecord[]][] = [
      ['applied', TOPIC, [mentionChange('a', 10), mentionChange('b', 11), mentionChange('b', 12)]],
      ['equal', TOPIC, [mentionChange('a', 10), mentionChange('b', 12)]],
      ['older', TOPIC, [mentionChange('a', 9), mentionChange('b', 11), mentionChange('b', 10)]],
      ['applied', TOPIC, [mentionChange('a', 20, {}, { op: 'd' }), mentionChange('c', 21)]],
      ['ignored', TOPIC, [tombstone('a', 20)]],
      ['older', TOPIC, [tombstone('c', 1), mentionChange('a', 15)]],
      ['applied', TOPIC, [tombstone('c', 22)]],
      [
        'deadLetters',
        TOPIC,
        [mentionChange('d', 23, { title: 5 }), mentionChange('e', 24, { title: UNCHANGED })],
      ],
      ['deadLetters', TOPIC, [{ ...mentionChange('f', 25), value: 'no JSON' }]],
      ['applied', TOPIC, [mentionChange('', 30, {}, { op: 't' })]],
      ['equal', TOPIC, [mentionChange('', 30, {}, { op: 't' })]],
      ['older', TOPIC, [mentionChange('', 29, {}, { op: 't' }), mentionChange('a', 28)]],
      ['ignored', `${TOPIC}`, [{ ...plain(TOPIC, { op: 'm', after: null }) }]],
      ['applied', 'producers.catalog.master', [master('one', 1), master('two', 2)]],
      ['equal', 'producers.catalog.master', [master('two', 2)]],
      ['older', 'producers.catalog.master', [master('one', 1)]],
      ['ignored', '__debezium-heartbeat.producers', [plain('__debezium-heartbeat.producers', { ts_ms: 5 })]],
      ['ignored', 'producers.transaction', [plain('producers.transaction', { status: 'BEGIN' })]],
      ['ignored', 'producers.message', [plain('producers.message', {})]],
      ['deadLetters', 'producers.no.such', [plain('producers.no.such', {})]],
    ];
    const expected = new Map<string, number>();
    for (const [outcome, topic, records] of batches) {
      expect(await read(records, topic), `${outcome} ${topic}`).toMatchObject({
        read: records.length,
        [outcome]: records.length,
      });
      expected.set(topic, (expected.get(topic) ?? 0) + records.length);
      for (const one of await counts()) expect(sumOf(one)).toBe(one.read);
    }
    const readByTopic = new Map<string, number>();
    for (const { topic, read: count } of await counts())
      readByTopic.set(topic, (readByTopic.get(topic) ?? 0) + count);
    expect(readByTopic).toEqual(expected);
    const text = await freshnessMetrics(pool, []).metrics();
    const labels = `group="g",topic="producers.catalog.master",partition="0",source="catalog.master"`;
    expect(text).toContain(`linernotes_records_read{${labels}} 4`);
    expect(text).toContain(`linernotes_records{${labels},outcome="applied"} 2`);
    expect(text).toContain(`linernotes_records{${labels},outcome="equal"} 1`);
  });

  it('of a batch, a tombstone after its delete is ignored and a repetition is equal', async () => {
    const deletion = mentionChange('a', 11, {}, { op: 'd' });
    expect(
      await read([mentionChange('a', 10), deletion, tombstone('a', 11), deletion, mentionChange('a', 10)]),
    ).toEqual({ read: 5, applied: 2, older: 1, equal: 1, deadLetters: 0, ignored: 1, changed: 1 });
  });

  it('of a batch that fails, nothing is counted, and of its repetition everything once', async () => {
    await read([mentionChange('a', 10)]);
    const before = await counts();
    const lost = ingestBatch(pool, registry, {
      topicPartition: { group: 'g', topic: TOPIC, partition: 0 },
      records: [decodedRecord(mentionChange('a', 11), registry)],
      from: 7,
      to: 8,
    });
    await expect(lost).rejects.toThrow(PositionLost);
    expect(await counts()).toEqual(before);
    await read([mentionChange('a', 11)]);
    expect(await counts()).toEqual([{ ...before[0], read: 2, applied: 2 }]);
  });

  it('files of one name count together', async () => {
    await read([mentionChange('a', 10)], 'changes.ndjson#1', 'changes');
    await read([mentionChange('a', 10)], 'changes.ndjson#2', 'changes');
    expect(await counts()).toEqual([
      {
        ...{ group: 'changes', topic: 'changes.ndjson', partition: 0, source: MENTIONS },
        ...{ read: 2, applied: 1, older: 0, equal: 1, deadLetters: 0, ignored: 0 },
      },
    ]);
  });
});

describe('a rise of older records', () => {
  const state = async () => {
    await pool.query(`update ingest.source set newest_change_at = now() where name = $1`, [MENTIONS]);
    const { sources } = await readFreshness(pool, [], Date.now());
    return sources.find(({ source }) => source === MENTIONS)?.state;
  };
  const restarted = () => read([1, 2, 3, 4].map((lsn) => mentionChange('a', lsn)));

  it('is a warning of the source, until its epoch is raised or its records are applied again', async () => {
    await read([mentionChange('a', 10)]);
    expect(await state()).toBe('fresh');
    await restarted();
    expect(await state()).toBe('warn');
    await raiseEpoch(pool, registry, artistPressMentions, { actor: 'mia', reason: null });
    expect(await state()).toBe('fresh');
    await restarted();
    expect(await state()).toBe('fresh');
    await restarted();
    expect(await state()).toBe('warn');
    await pool.query(`update ingest.record_count set recent_since = now() - interval '61 minutes'`);
    expect(await state()).toBe('warn');
    await read([mentionChange('a', 20)]);
    expect(await state()).toBe('fresh');
  });

  it('is none for a file, whose rows may well be older than streamed ones', async () => {
    await read([mentionChange('a', 10)]);
    await read(
      [1, 2, 3].map((lsn) => mentionChange('a', lsn)),
      'changes.ndjson#1',
      'changes',
    );
    expect(await state()).toBe('fresh');
  });
});
