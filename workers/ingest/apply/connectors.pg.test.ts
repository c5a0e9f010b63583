import { beforeAll, beforeEach, expect, it } from 'vitest';
import type { Source } from '../../../projections/contracts/contract.ts';
import { artistMomentum } from '../../../projections/contracts/seen/artist-momentum.ts';
import { festival } from '../../../projections/contracts/seen/festival.ts';
import { readFreshness } from '../../../projections/engine/freshness/read-freshness.ts';
import { type Registry, registerSources } from '../../../projections/engine/registry.ts';
import { withDatabase } from '../../../test/support/services/database.ts';
import { decodeRecord } from '../decode/envelope.ts';
import { ingestBatch } from './ingest-batch.ts';

const { pool } = withDatabase();
let registry: Registry;
let offset: number;

beforeAll(async () => {
  registry = await registerSources(pool);
});
beforeEach(async () => {
  offset = 0;
  await pool.query(`truncate ingest.position, ingest.record_count, ingest.connector;
    update ingest.source set connector = null, newest_change_at = null, truncated_version = null`);
});

interface Content {
  readonly topic: string;
  readonly key?: object;
  readonly value: object;
}

/** Ingests one record as a worker would, of a topic under its first part. */
async function ingest({ topic, key, value }: Content, heartbeatIntervalMs: number | null = null) {
  const record = {
    topic,
    key: key === undefined ? null : JSON.stringify(key),
    value: JSON.stringify(value),
    headers: {},
    offset: offset++,
    timestamp: Date.now(),
  };
  const prefix = topic.replace('__debezium-heartbeat.', '').split('.', 1)[0] as string;
  const decoded = decodeRecord(record, { prefix, epoch: registry.epochOf });
  await ingestBatch(pool, registry, {
    topicPartition: { group: 'g', topic, partition: record.offset },
    records: [{ record, decoded }],
    from: null,
    to: record.offset + 1,
    readAtMs: Date.now(),
    heartbeatIntervalMs,
  });
}

const change = (
  prefix: string,
  { table }: Source,
  { ageMs = 0, name }: { ageMs?: number; name?: string } = {},
) =>
  ingest({
    topic: `${prefix}.${table}`,
    value: { op: 't', source: { name, ts_ms: Date.now() - ageMs, lsn: 1_000 + offset } },
  });

const heartbeat = (server: string, timeMs: number, statedMs: number | null = null) =>
  ingest(
    { topic: `__debezium-heartbeat.${server}`, key: { serverName: server }, value: { ts_ms: timeMs } },
    statedMs,
  );

const stateOf = async ({ table }: Source) => {
  const { sources } = await readFreshness(pool, [], Date.now());
  const { state, activity, connector } = sources.find(({ source }) => source === table) ?? {};
  return [state, activity, connector];
};

it('heartbeats vouch for the tables of their own connector only', async () => {
  const now = Date.now();
  const hourMs = 3_600_000;
  await change('seen', artistMomentum, { ageMs: 2 * hourMs });
  await change('events', festival, { ageMs: 2 * hourMs });
  for (const ago of [30_000, 20_000, 10_000, 0]) {
    await heartbeat('seen', now - ago);
    await heartbeat('events', now - hourMs - ago);
  }
  expect(await stateOf(artistMomentum)).toEqual(['fresh', 'active', 'seen']);
  expect(await stateOf(festival)).toEqual(['error', 'dead', 'events']);
  await heartbeat('events', Date.now() - 50_000);
  expect(await stateOf(festival)).toEqual(['warn', 'silent', 'events']);
  await heartbeat('events', Date.now());
  expect(await stateOf(festival)).toEqual(['fresh', 'active', 'events']);
});

it('a table learns its connector from its own records, and moves with them', async () => {
  await heartbeat('seen', Date.now());
  expect(await stateOf(artistMomentum)).toEqual(['unknown', 'unknown', null]);
  await change('seen', artistMomentum);
  expect(await stateOf(artistMomentum)).toEqual(['fresh', 'active', 'seen']);
  // A connector may route its records to other topics, and says its name in them.
  await change('seen', artistMomentum, { name: 'seen.eu' });
  expect(await stateOf(artistMomentum)).toEqual(['fresh', 'active', 'seen.eu']);
});

it('changes show that a connector is alive while it sends no heartbeats, for all its tables', async () => {
  await change('seen', artistMomentum, { ageMs: 3_600_000 });
  for (const ago of [3_600_000, 3_590_000, 3_580_000]) await heartbeat('seen', Date.now() - ago);
  expect((await stateOf(artistMomentum))[1]).toBe('dead');
  await change('seen', festival);
  expect(await stateOf(artistMomentum)).toEqual(['fresh', 'active', 'seen']);
});

it('the interval of heartbeats is learnt, or stated; until then only the cadence counts', async () => {
  const hourAgo = Date.now() - 3_600_000;
  await change('seen', artistMomentum, { ageMs: 3_600_000 });
  for (const at of [hourAgo, hourAgo + 10_000]) {
    await heartbeat('seen', at);
    expect(await stateOf(artistMomentum)).toEqual(['fresh', 'active', 'seen']);
  }
  await heartbeat('seen', hourAgo + 20_000);
  expect((await stateOf(artistMomentum))[1]).toBe('dead');
  await heartbeat('seen', hourAgo + 30_000, 600_000);
  expect((await stateOf(artistMomentum))[1]).toBe('silent');
});

it('a heartbeat from the future counts for a minute ahead at most', async () => {
  const before = Date.now();
  await heartbeat('seen', before + 86_400_000);
  const { rows } = await pool.query<{ at: Date }>('select newest_heartbeat_at as at from ingest.connector');
  expect(rows[0]?.at.getTime()).toBeGreaterThanOrEqual(before + 60_000);
  expect(rows[0]?.at.getTime()).toBeLessThanOrEqual(Date.now() + 60_000);
});
