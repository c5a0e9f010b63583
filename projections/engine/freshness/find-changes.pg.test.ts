import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { rowsOf } from '../../../test/support/rows/source-rows.ts';
import { withDatabase } from '../../../test/support/services/database.ts';
import { ingestBatch } from '../../../workers/ingest/apply/ingest-batch.ts';
import { decodeRecord, type IncomingRecord } from '../../../workers/ingest/decode/envelope.ts';
import { drain } from '../../../workers/project/drain.ts';
import { festival } from '../../contracts/seen/festival.ts';
import { type Registry, registerSources } from '../registry.ts';
import { parsePositions, type WaitTarget } from './position.ts';
import { type PositionWaiter, positionWaiter, UnknownTopic } from './wait-visible.ts';

const TOPIC = 'producers.seen.festival';
/** Longer than any wait here takes. */
const LONG_MS = 30_000;

const { pool } = withDatabase();
let registry: Registry;
let waiter: PositionWaiter;
const next = new Map<number, number>();

beforeAll(async () => {
  registry = await registerSources(pool);
});
beforeEach(() => {
  waiter = positionWaiter(pool);
});
afterEach(() => waiter.stop());

/** A change as Debezium reads it from PostgreSQL's log. */
interface Change {
  readonly transaction: number;
  readonly lsn: number;
  /** The newest commit before it. */
  readonly commit: number;
}

async function ingest(partition: number, ...changes: readonly Change[]): Promise<void> {
  const from = next.get(partition) ?? 0;
  const records = changes.map(({ transaction, lsn, commit }, index) => {
    const after = { ...rowsOf(festival, {}).rows[0], festival_id: `f${lsn}`, slug: `f${lsn}` };
    const source = {
      ts_ms: 1_788_260_008_180 + lsn,
      lsn,
      txId: transaction,
      sequence: `["${commit}","${lsn}"]`,
    };
    const record: IncomingRecord = {
      topic: TOPIC,
      key: null,
      value: JSON.stringify({ op: 'c', before: null, after, source }),
      headers: {},
      offset: from + index,
      timestamp: 1,
    };
    return { record, decoded: decodeRecord(record, { prefix: 'producers', epoch: registry.epochOf }) };
  });
  const topicPartition = { group: 'g', topic: TOPIC, partition };
  const to = from + changes.length;
  await ingestBatch(pool, registry, { topicPartition, records, from: from === 0 ? null : from, to });
  next.set(partition, to);
  await drain(pool, registry);
}

const targets = (text: string): readonly WaitTarget[] => {
  const parsed = parsePositions(text);
  if ('problem' in parsed) throw new Error(parsed.problem);
  return parsed;
};

const outcome = async (text: string, timeoutMs = LONG_MS) =>
  (await waiter.wait(targets(text), timeoutMs)).outcome;

it('waits for a transaction of the producer, which was applied before or comes later', async () => {
  await ingest(0, { transaction: 700, lsn: 0x100, commit: 0x90 });
  expect(await outcome('seen.festival@700')).toBe('visible');
  expect(await outcome('seen.festival@701', 60)).toBe('not yet');
  const waiting = outcome(`seen.festival@${2n ** 32n + 701n}`);
  await ingest(
    0,
    { transaction: 701, lsn: 0x200, commit: 0x120 },
    { transaction: 702, lsn: 0x220, commit: 0x210 },
  );
  expect(await waiting).toBe('visible');
});

it('waits for a log position: its own change, or one after a commit at or past it in every partition', async () => {
  await ingest(0, { transaction: 710, lsn: 0x1000, commit: 0x900 });
  expect(await outcome('seen.festival@0/1000')).toBe('visible');
  expect(await outcome('seen.festival@0/900')).toBe('visible');
  // Transactions that began before it may still commit.
  expect(await outcome('seen.festival@0/FFF', 60)).toBe('not yet');
  await ingest(1, { transaction: 711, lsn: 0x1100, commit: 0x800 });
  expect(await outcome('seen.festival@0/900', 60)).toBe('not yet');
  await ingest(1, { transaction: 712, lsn: 0x1300, commit: 0x1200 });
  await ingest(0, { transaction: 713, lsn: 0x1500, commit: 0x1400 });
  expect(await outcome('seen.festival@0/1200, seen.festival@712')).toBe('visible');
});

it('knows the newest transactions only', async () => {
  const many = Array.from({ length: 300 }, (_, at) => ({
    transaction: 1_000 + at,
    lsn: 0x8000 + at,
    commit: 0x7000 + at,
  }));
  await ingest(2, ...many);
  expect(await outcome('seen.festival@1299')).toBe('visible');
  expect(await outcome('seen.festival@1100')).toBe('visible');
  expect(await outcome('seen.festival@1099', 60)).toBe('not yet');
});

it('forgets the log of another epoch', async () => {
  await pool.query(`update ingest.source set epoch = epoch + 1 where name = 'seen.festival'`);
  expect(await outcome('seen.festival@1299', 60)).toBe('not yet');
});

it('rejects a topic that no source has and no consumer has read, at once', async () => {
  await expect(waiter.wait(targets('producers.seen.festivals:0:1'), LONG_MS)).rejects.toThrow(UnknownTopic);
  await expect(waiter.wait(targets(`${TOPIC}:0:0,typo:0:1`), LONG_MS)).rejects.toThrow('the topic typo');
  await pool.query(`insert into ingest.position values ('g', 'producers.transaction', 0, 3)`);
  expect(await outcome('producers.transaction:0:2')).toBe('visible');
});
