import type { Admin, Producer } from 'kafkajs';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest';
import { type Registry, registerSources } from '../../projections/engine/registry.ts';
import { consumeKafka, type RunningConsumer } from '../../workers/ingest/consume/consume-kafka.ts';
import type { PartitionState } from '../../workers/ingest/consume/partition-state.ts';
import type { ConsumeOptions } from '../../workers/ingest/consume/session.ts';
import { pollUntil } from '../support/poll.ts';
import { clusterOf } from '../support/projections/artists.ts';
import { type TestDatabase, withDatabase } from '../support/services/database.ts';
import { createTopics, kafkaClient, uniquePrefix } from '../support/services/kafka.ts';

export const MOMENTUM = 'seen.artist_momentum';
export const ENTITY = 'seen.performing_entity';
const log = pino({ level: 'silent' });

const rows = {
  [MOMENTUM]: {
    emergence_tier: 'rising',
    momentum_tier: 'steady',
    emergence_score: 1,
    momentum_score: 2,
    establishment_delta: 0,
    events_recent: 3,
    is_fresh_breakout: false,
    is_unsigned: true,
    as_of: '2019-06-30',
  },
  [ENTITY]: {
    name: 'Coffee',
    slug: 'coffee',
    entity_kind: 'group',
    distinct_events: 3,
    distinct_venues: 2,
    first_event_at: null,
    last_event_at: null,
    country: 'GB',
  },
} as const;

export type Table = keyof typeof rows;

/** Rows as messages, and how many there have been, which numbers their keys and log positions. */
export function messagesOf(table: Table, first: number, count: number) {
  return Array.from({ length: count }, (_, index) => {
    const cluster_id = clusterOf(first + index);
    const lsn = 1_000 + first + index;
    const source = { ts_ms: 1_750_000_000_000 + lsn, lsn, sequence: `["${lsn}","${lsn}"]` };
    const value = {
      before: null,
      after: { cluster_id, ...rows[table] },
      source,
      op: 'c',
      ts_ms: source.ts_ms,
    };
    return { key: JSON.stringify({ cluster_id }), value: JSON.stringify(value), partition: 0 };
  });
}

/** A consumer of this process on a database of its own, with two new topics for each test. */
export interface OneConsumer {
  readonly database: TestDatabase;
  readonly brokers: string;
  admin(): Admin;
  producer(): Producer;
  registry(): Registry;
  group(): string;
  topicOf(table: Table): string;
  freshTopics(): Promise<void>;
  send(table: Table, count: number): Promise<void>;
  start(changes?: Partial<ConsumeOptions>): void;
  stop(): Promise<void>;
  stateOf(table: Table): PartitionState | undefined;
  untilState(table: Table, state: object): Promise<void>;
  /** Rows in the mirror, by table. */
  stored(): Promise<Record<string, number>>;
  untilStored(expected: Record<string, number>): Promise<void>;
  positionOf(table: Table): Promise<number>;
  expectNoLetters(): Promise<void>;
}

export const RUNNING = { state: 'running', reason: null, attempts: 0 };

export function withConsumer(): OneConsumer {
  const database = withDatabase();
  const brokers = inject('kafkaBrokers');
  const kafka = kafkaClient(brokers);
  let admin: Admin;
  let producer: Producer;
  let registry: Registry;
  let prefix: string;
  let sent: Record<Table, number>;
  let consumer: RunningConsumer | null = null;

  beforeAll(async () => {
    registry = await registerSources(database.pool);
    admin = kafka.admin();
    producer = kafka.producer();
    await Promise.all([admin.connect(), producer.connect()]);
  });

  afterEach(async () => {
    await consumer?.stop();
    consumer = null;
    await database.pool.query('truncate ingest.mirror, ingest.position, ingest.dead_letter');
  });

  afterAll(() => Promise.all([admin.disconnect(), producer.disconnect()]));

  const topicOf = (table: Table): string => `${prefix}.${table}`;

  async function freshTopics(): Promise<void> {
    prefix = uniquePrefix();
    sent = { [MOMENTUM]: 0, [ENTITY]: 0 };
    await createTopics(brokers, [{ topic: topicOf(MOMENTUM) }, { topic: topicOf(ENTITY) }]);
  }

  async function send(table: Table, count: number): Promise<void> {
    await producer.send({ topic: topicOf(table), messages: messagesOf(table, sent[table], count) });
    sent[table] += count;
  }

  function start(changes: Partial<ConsumeOptions> = {}): void {
    const group = `${prefix}-ingest`;
    consumer = consumeKafka({
      kafka,
      pool: database.pool,
      registry,
      log,
      group,
      prefixes: [prefix],
      sessionTimeoutMs: 6_000,
      ...changes,
    });
  }

  async function stop(): Promise<void> {
    await consumer?.stop();
    consumer = null;
  }

  const stateOf = (table: Table): PartitionState | undefined =>
    consumer?.partitions().find(({ topic }) => topic === topicOf(table));

  const untilState = (table: Table, state: object) =>
    pollUntil(() => expect(stateOf(table)).toMatchObject(state));

  async function stored(): Promise<Record<string, number>> {
    const { rows: counts } = await database.pool.query<{ name: string; rows: number }>(
      `select name, count(*)::int4 as rows from ingest.mirror join ingest.source on source.id = source group by name`,
    );
    return Object.fromEntries(counts.map(({ name, rows: count }) => [name, count]));
  }

  const untilStored = (expected: Record<string, number>) =>
    pollUntil(async () => expect(await stored()).toEqual(expected));

  async function positionOf(table: Table): Promise<number> {
    const { rows: found } = await database.pool.query(
      'select next_offset::int4 as at from ingest.position where topic = $1',
      [topicOf(table)],
    );
    return found[0]?.at;
  }

  async function expectNoLetters(): Promise<void> {
    expect((await database.pool.query('select violations from ingest.dead_letter')).rows).toEqual([]);
  }

  return {
    database,
    brokers,
    admin: () => admin,
    producer: () => producer,
    registry: () => registry,
    group: () => `${prefix}-ingest`,
    topicOf,
    freshTopics,
    send,
    start,
    stop,
    stateOf,
    untilState,
    stored,
    untilStored,
    positionOf,
    expectNoLetters,
  };
}
