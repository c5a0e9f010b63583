import type { Admin, EachBatchPayload } from 'kafkajs';
import { pino } from 'pino';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { createWatchdog } from '../../../infra/runtime/watchdog.ts';
import { type Registry, registerSources } from '../../../projections/engine/registry.ts';
import { withDatabase } from '../../../test/support/services/database.ts';
import { ingestMetrics } from '../metrics.ts';
import { schemaRegistry } from '../schemas/schema-registry.ts';
import { applyFetchedBatch, type BatchWork } from './apply-fetched-batch.ts';
import { assignedPartitions } from './assigned-partitions.ts';

const { pool } = withDatabase();
const TOPIC = 'producers.seen.festival';
let registry: Registry;
let work: BatchWork;

beforeAll(async () => {
  registry = await registerSources(pool);
});
beforeEach(async () => {
  await pool.query('truncate ingest.position');
  const assignment = assignedPartitions({
    consumer: { seek() {}, pause() {}, resume() {} },
    pool,
    log: pino({ level: 'silent' }),
    group: 'g',
    onOpened() {},
  });
  work = {
    admin: {} as Admin,
    pool,
    registry,
    log: pino({ level: 'silent' }),
    prefixes: ['producers'],
    assignment,
    commits: { note() {}, forget() {}, flush: async () => {} },
    heartbeatMs: 60_000,
    watchdog: createWatchdog(Date.now),
    isStopping: () => false,
  };
  assignment.assign({ [TOPIC]: [0] });
  await expect.poll(() => assignment.states()[0]?.state).toBe('running');
  return () => assignment.stop();
});

/** Messages from offset 0, written a second apart. @param atMs when the first was written */
function fetched(
  count: number,
  atMs: number,
  log: { lastOffset: number; highWatermark: number },
): EachBatchPayload {
  const messages = Array.from({ length: count }, (_, offset) => ({
    key: null,
    value: Buffer.from('{"op":"m"}'),
    offset: String(offset),
    timestamp: String(atMs + offset * 1_000),
    attributes: 0,
  }));
  return {
    batch: {
      topic: TOPIC,
      partition: 0,
      messages,
      highWatermark: String(log.highWatermark),
      firstOffset: () => '0',
      lastOffset: () => String(log.lastOffset),
    },
    resolveOffset() {},
    heartbeat: async () => {},
    isRunning: () => true,
    isStale: () => false,
  } as unknown as EachBatchPayload;
}

async function lag() {
  const { rows } = await pool.query(
    'select next_offset::int as next, unread_since as since from ingest.position',
  );
  const metrics = await ingestMetrics.getMetricsAsJSON();
  const records = metrics.find(({ name }) => name === 'linernotes_consumer_lag_records')?.values[0]?.value;
  return [records, rows[0]?.next ?? null, rows[0]?.since?.getTime() ?? null];
}

const AT = Date.UTC(2026, 0, 1);

it('the lag is zero at the end of the log, also after the end marker of a transaction', async () => {
  await applyFetchedBatch(work, fetched(3, AT, { lastOffset: 3, highWatermark: 4 }));
  expect(await lag()).toEqual([0, 3, null]);
});

it('the lag begins with the last record read while others are known to follow', async () => {
  await applyFetchedBatch(work, fetched(3, AT, { lastOffset: 2, highWatermark: 10 }));
  expect(await lag()).toEqual([7, 3, AT + 2_000]);
});

it('of a batch that fails, the first record waits, since it was written', async () => {
  await pool.query(
    `insert into ingest.position (consumer_group, topic, partition, next_offset) values ('g', $1, 0, 0)`,
    [TOPIC],
  );
  work.assignment.assign({ [TOPIC]: [0] });
  await expect.poll(() => work.assignment.states()[0]?.state).toBe('running');
  const broken = {
    ...registry,
    epochOf: () => {
      throw new Error('no epoch');
    },
  };
  await applyFetchedBatch({ ...work, registry: broken }, fetched(3, AT, { lastOffset: 2, highWatermark: 3 }));
  expect(work.assignment.states()[0]?.state).toBe('stopped');
  expect(await lag()).toEqual([3, 0, AT]);
});

it('a batch in Avro waits for a registry that is unavailable, and has no dead letter', async () => {
  await pool.query('truncate ingest.dead_letter');
  const payload = fetched(2, AT, { lastOffset: 1, highWatermark: 2 });
  const [, avro] = payload.batch.messages;
  Object.assign(avro as object, { value: Buffer.from([0, 0, 0, 0, 1, 2]) });
  // A port that nothing listens on.
  const schemas = schemaRegistry({ url: 'http://127.0.0.1:1' });
  await applyFetchedBatch({ ...work, schemas }, payload);
  expect(work.assignment.states()).toMatchObject([
    {
      state: 'waiting',
      reason: expect.stringContaining('the schema registry http://127.0.0.1:1 cannot be asked'),
    },
  ]);
  const { rows } = await pool.query('select count(*)::int as letters from ingest.dead_letter');
  expect(rows).toEqual([{ letters: 0 }]);
  const positions = await pool.query('select from ingest.position where next_offset > 0');
  expect(positions.rowCount).toBe(0);
});

it('a record in Avro is a dead letter where no registry is set', async () => {
  await pool.query('truncate ingest.dead_letter');
  const payload = fetched(1, AT, { lastOffset: 0, highWatermark: 1 });
  Object.assign(payload.batch.messages[0] as object, { value: Buffer.from([0, 0, 0, 0, 1, 2]) });
  await applyFetchedBatch(work, payload);
  const { rows } = await pool.query('select class, violations from ingest.dead_letter');
  expect(rows).toEqual([
    { class: 'undecodable', violations: [{ field: 'value', reason: 'no_schema_registry' }] },
  ]);
});
