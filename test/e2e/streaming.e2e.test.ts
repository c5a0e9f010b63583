import type { Producer, RecordMetadata } from 'kafkajs';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { registerSources } from '../../projections/engine/registry.ts';
import { documentTable, liveVersion } from '../../projections/engine/store/version.ts';
import { projections } from '../../projections/index.ts';
import { issueKey } from '../../services/query/keys/keys.ts';
import { startQueryService } from '../../services/query/server.ts';
import { consumeKafka } from '../../workers/ingest/consume/consume-kafka.ts';
import { runProjector } from '../../workers/project/run-projector.ts';
import { pollUntil } from '../support/poll.ts';
import { rebuild } from '../support/projections/rebuild.ts';
import { withDatabase } from '../support/services/database.ts';
import { createTopics, kafkaClient, uniquePrefix } from '../support/services/kafka.ts';

const CLUSTER = 'c0ffee'.padEnd(64, '0');
const TABLES = [
  'seen.performing_entity',
  'seen.artist_momentum',
  'archive_api_v1.artist_press_mentions',
] as const;
const log = pino({ level: 'silent' });

const entity = {
  cluster_id: CLUSTER,
  name: 'Coffee Machine',
  slug: 'coffee-machine',
  entity_kind: 'group',
  distinct_events: 3,
  distinct_venues: 2,
  first_event_at: '2018-05-01',
  last_event_at: null,
  country: 'GB',
};

const momentum = {
  cluster_id: CLUSTER,
  emergence_tier: 'rising',
  momentum_tier: 'steady',
  emergence_score: 41.5,
  momentum_score: 12,
  establishment_delta: -0.25,
  events_recent: 4,
  is_fresh_breakout: false,
  is_unsigned: true,
  as_of: '2019-06-30',
};

/** The parts of an artist dossier that are looked at here. */
interface Dossier {
  readonly identity: { readonly name: string } | null;
  readonly emergence: unknown;
  readonly journalism: { readonly signals: unknown };
  readonly citedMentions: readonly { readonly publishedAt: string }[];
}

describe('a change event on its way from Kafka to a response', () => {
  const database = withDatabase();
  const brokers = inject('kafkaBrokers');
  const prefix = uniquePrefix();
  const undo: (() => Promise<unknown>)[] = [];
  let producer: Producer;
  let url: string;
  let key: string;
  let lsn = 100;

  beforeAll(async () => {
    const { pool } = database;
    const registry = await registerSources(pool);
    for (const projection of projections) await rebuild(pool, projection, registry);
    const topics = [...TABLES.map((table) => `${prefix}.${table}`), `__debezium-heartbeat.${prefix}`];
    await createTopics(
      brokers,
      topics.map((topic) => ({ topic, numPartitions: 2 })),
    );
    const kafka = kafkaClient(brokers);
    producer = kafka.producer();
    await producer.connect();
    undo.push(() => producer.disconnect());
    const consumer = await consumeKafka({
      kafka,
      pool,
      registry,
      log,
      group: `${prefix}-ingest`,
      prefixes: [prefix],
    });
    undo.push(() => consumer.stop());
    const projector = runProjector(pool, registry, { databaseUrl: database.url, log });
    undo.push(() => projector.stop());
    const service = await startQueryService({ databaseUrl: database.url, port: 0, log });
    undo.push(() => service.stop());
    url = service.url;
    ({ key } = await issueKey(pool, {
      environment: 'test',
      label: 'e2e',
      tier: 'standard',
      expiresAt: null,
    }));
  });

  afterAll(async () => {
    for (const step of undo.reverse()) await step();
  });

  async function send(
    table: (typeof TABLES)[number],
    op: 'c' | 'u' | 'd',
    { key: messageKey, after }: { readonly key: object; readonly after: object | null },
  ): Promise<RecordMetadata[]> {
    lsn += 10;
    const [schema, name] = table.split('.');
    const source = {
      schema,
      table: name,
      ts_ms: Date.now(),
      lsn,
      sequence: `["${lsn - 1}","${lsn}"]`,
    };
    const value = JSON.stringify({ before: null, after, source, op, ts_ms: Date.now() });
    return producer.send({
      topic: `${prefix}.${table}`,
      messages: [
        { key: JSON.stringify(messageKey), value },
        ...(op === 'd' ? [{ key: JSON.stringify(messageKey), value: null }] : []),
      ],
    });
  }

  async function dossier(path: string): Promise<Dossier> {
    const response = await fetch(`${url}/api/v2/artist/${path}`, { headers: { 'x-api-key': key } });
    expect(response.status).toBe(200);
    return (await response.json()) as Dossier;
  }

  /** The transaction that wrote each document of the version that is served. */
  async function writtenBy() {
    const live = await liveVersion(database.pool, 'artist');
    if (live === null) throw new Error('no version is live');
    const { rows } = await database.pool.query(
      `select key, xmin::text from ${documentTable(live)} order by key`,
    );
    return rows;
  }

  it('makes an unknown artist known, under its cluster id and its slug', async () => {
    expect((await dossier(CLUSTER)).identity).toBeNull();
    await send('seen.performing_entity', 'c', { key: { cluster_id: CLUSTER }, after: entity });
    await send('seen.artist_momentum', 'c', { key: { cluster_id: CLUSTER }, after: momentum });
    await pollUntil(async () => {
      const body = await dossier('Coffee-Machine');
      expect(body).toMatchObject({
        grain: 'artist',
        slug: 'coffee-machine',
        display: 'Coffee Machine',
        id: null,
        cluster_id: CLUSTER,
        resolved_via: 'cluster',
        emergence: {
          state: 'present',
          signals: { emergenceTier: 'rising', momentumTier: 'steady', emergenceScore: 41.5, eventsRecent: 4 },
        },
        breakout: {
          state: 'present',
          signal: { emergenceTier: 'rising', corroboration: 'booking_ahead', pressCount: 0 },
        },
        journalism: { state: 'honest_gap', signals: null },
      });
      expect(await dossier(CLUSTER)).toEqual({ ...body, generated_at: expect.any(String) });
    });
  });

  it('is in the response to a request that names its position', async () => {
    for (let score = 1; score <= 5; score++) {
      const change = { ...momentum, emergence_score: score };
      const [written] = await send('seen.artist_momentum', 'u', {
        key: { cluster_id: CLUSTER },
        after: change,
      });
      const position = `${prefix}.seen.artist_momentum:${written?.partition}:${written?.baseOffset}`;
      const answer = await fetch(`${url}/api/v2/artist/${CLUSTER}`, {
        headers: { 'x-api-key': key, 'x-linernotes-at-least': position, 'x-linernotes-wait': '10' },
      });
      expect(answer.headers.get('x-linernotes-freshness')).toBe('fresh');
      expect(await answer.json()).toMatchObject({ emergence: { signals: { emergenceScore: score } } });
    }
  });

  it('applies the good rows around a broken one, which waits in the dead letters with its reason', async () => {
    const mention = {
      cluster_id: CLUSTER,
      mention_id: 'm1',
      outlet: 'The Wire',
      title: 'Steam',
      url: 'https://wire.example/1',
      kind: 'review',
      published_at: '2019-05-01T00:00:00+02:00',
      source_repo: null,
    };
    const table = 'archive_api_v1.artist_press_mentions';
    await send(table, 'c', { key: { mention_id: 'm1' }, after: mention });
    await send(table, 'c', {
      key: { mention_id: 'm2' },
      after: { ...mention, mention_id: 'm2', kind: 'rumour', url: 7 },
    });
    await send(table, 'c', {
      key: { mention_id: 'm3' },
      after: { ...mention, mention_id: 'm3', kind: 'press' },
    });
    await pollUntil(async () => {
      const body = await dossier(CLUSTER);
      expect(body.journalism.signals).toMatchObject({ pressCount: 1, reviewCount: 1 });
      expect(body.citedMentions).toHaveLength(1);
      expect(body.citedMentions[0]?.publishedAt).toBe('2019-04-30T22:00:00Z');
    });
    await pollUntil(async () => {
      const { rows } = await database.pool.query(
        'select topic, key, payload, violations from ingest.dead_letter',
      );
      expect(rows).toHaveLength(1);
      expect(rows[0].topic).toBe(`${prefix}.${table}`);
      expect(String(rows[0].payload)).toContain('"rumour"');
      expect(rows[0].violations).toEqual(
        expect.arrayContaining([
          { field: 'kind', reason: 'not_in_list' },
          { field: 'url', reason: 'not_text' },
        ]),
      );
    });
  });

  it('takes a deleted row out of the dossier, and a document that stays equal is not written', async () => {
    await send('seen.artist_momentum', 'u', { key: { cluster_id: CLUSTER }, after: momentum });
    await send('seen.artist_momentum', 'd', { key: { cluster_id: CLUSTER }, after: null });
    await pollUntil(async () => {
      const body = await dossier(CLUSTER);
      expect(body.emergence).toEqual({ state: 'empty', signals: null });
      expect(body.identity?.name).toBe('Coffee Machine');
    });
    const before = await writtenBy();
    // An equal row under a newer version, then one that is seen to have been applied after it.
    await send('seen.performing_entity', 'u', { key: { cluster_id: CLUSTER }, after: entity });
    await pollUntil(async () => {
      const { rows } = await database.pool.query(
        `select version from ingest.mirror join ingest.source on id = source where name = 'seen.performing_entity'`,
      );
      expect(BigInt(`0x${rows[0].version.slice(24, 40)}`)).toBe(BigInt(lsn));
    });
    const { rows: marks } = await database.pool.query('select from projection.mark');
    expect(marks).toEqual([]);
    const after = await writtenBy();
    expect(after).toEqual(before);
  });

  it('shows by a heartbeat that quiet sources are alive', async () => {
    const heartbeatAt = Date.now() + 1_000;
    await producer.send({
      topic: `__debezium-heartbeat.${prefix}`,
      messages: [
        { key: JSON.stringify({ serverName: prefix }), value: JSON.stringify({ ts_ms: heartbeatAt }) },
      ],
    });
    await pollUntil(async () => {
      const { rows } = await database.pool.query(
        `select connector.newest_heartbeat_at from ingest.source join ingest.connector on connector.name = source.connector
         where source.name = 'seen.artist_momentum'`,
      );
      expect(rows[0]?.newest_heartbeat_at.getTime()).toBe(heartbeatAt);
    });
  });
});
