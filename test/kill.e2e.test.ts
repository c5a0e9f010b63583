import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { projections } from '../projections/index.ts';
import { registerSources } from '../projections/registry.ts';
import { liveVersion } from '../projections/store/version.ts';
import { parseChangeLine } from '../workers/ingest/decode/change-line.ts';
import { findSnapshots, loadSnapshot } from '../workers/ingest/load-snapshot.ts';
import { rebuild } from '../workers/project/build-version.ts';
import { drain } from '../workers/project/drain.ts';
import { differingKeys, documentsOf } from './documents.ts';
import { expectedState, mirrorState, readGzip, SAMPLE, SNAPSHOT_TIME } from './mirror-state.ts';
import { withDatabase } from './services/database.ts';
import { createTopics, kafkaClient, uniquePrefix } from './services/kafka.ts';

const WORKER = fileURLToPath(new URL('../workers/ingest/main.ts', import.meta.url));
const KILLS = Number(process.env.KILLS ?? 5);
/** Stays below the broker's limit for one request. */
const PRODUCED_AT_ONCE = 200;
/** Poll of a condition; nothing depends on its length. */
const LOOK_MS = 5;

describe(`an ingest worker killed ${KILLS} times on its way through the change events`, () => {
  const { url, pool } = withDatabase();
  const brokers = inject('kafkaBrokers');
  const prefix = uniquePrefix();
  const group = `${prefix}-ingest`;
  const children = new Set<ChildProcess>();
  let total = 0;

  beforeAll(async () => {
    const registry = await registerSources(pool);
    for (const file of await findSnapshots(SAMPLE)) await loadSnapshot(pool, registry, file, SNAPSHOT_TIME);
    for (const projection of projections) await rebuild(pool, projection, registry, 'test');
    total = await produceChanges();
  });

  afterAll(() => {
    for (const child of children) child.kill('SIGKILL');
  });

  async function produceChanges(): Promise<number> {
    const records = readGzip('changes.ndjson.gz').trim().split('\n').map(parseChangeLine);
    const topicOf = (topic: string): string => topic.replace(/^producers/, prefix);
    const byTopic = Map.groupBy(records, ({ topic }) => topicOf(topic));
    await createTopics(
      brokers,
      [...byTopic.keys()].map((topic) => ({ topic })),
    );
    const producer = kafkaClient(brokers).producer();
    await producer.connect();
    for (const [topic, all] of byTopic) {
      for (let at = 0; at < all.length; at += PRODUCED_AT_ONCE) {
        const messages = all.slice(at, at + PRODUCED_AT_ONCE);
        await producer.send({
          topic,
          messages: messages.map(({ key, value, headers }) => ({ key, value, headers: { ...headers } })),
        });
      }
    }
    await producer.disconnect();
    return records.length;
  }

  function startWorker(): ChildProcess {
    const child = spawn(process.execPath, [WORKER], {
      env: {
        ...process.env,
        DATABASE_URL: url,
        KAFKA_BROKERS: brokers,
        KAFKA_GROUP: group,
        TOPIC_PREFIX: prefix,
        KAFKA_SESSION_TIMEOUT_MS: '1000',
        LOG_LEVEL: 'error',
      },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    children.add(child);
    return child;
  }

  async function applied(): Promise<number> {
    const { rows } = await pool.query<{ sum: string | null }>(
      'select sum(next_offset) from ingest.position where consumer_group = $1',
      [group],
    );
    return Number(rows[0]?.sum ?? 0);
  }

  async function untilApplied(count: number, child: ChildProcess): Promise<void> {
    while ((await applied()) < count) {
      if (child.exitCode !== null) throw new Error(`the worker ended by itself with ${child.exitCode}`);
      await pause(LOOK_MS);
    }
  }

  it('leaves the mirror as an independent replay expects it, and the documents as a rebuild makes them', async () => {
    for (let kill = 0; kill < KILLS; kill++) {
      const worker = startWorker();
      // From the very first batch on, at places that differ from kill to kill.
      await untilApplied(Math.floor((total * (kill + 0.3)) / (KILLS + 0.5)), worker);
      await pause(Math.random() * 20);
      worker.kill('SIGKILL');
      await once(worker, 'exit');
    }
    const last = startWorker();
    await untilApplied(total, last);
    last.kill('SIGTERM');
    expect(await once(last, 'exit')).toEqual([0, null]);

    expect(await applied()).toBe(total);
    expect(await mirrorState(pool)).toEqual(expectedState);
    const { rows: letters } = await pool.query('select topic, violations from ingest.dead_letter');
    expect(letters).toEqual([]);

    const registry = await registerSources(pool);
    await drain(pool, registry);
    for (const projection of projections) {
      const streamed = await liveVersion(pool, projection.name);
      if (streamed === null) throw new Error('no version is live');
      const documents = await documentsOf(pool, streamed);
      const rebuilt = await rebuild(pool, projection, registry, 'again');
      expect(differingKeys(await documentsOf(pool, rebuilt), documents)).toEqual([]);
    }
  }, 600_000);
});
