import { setTimeout as pause } from 'node:timers/promises';
import type { Message } from 'kafkajs';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { projections } from '../../projections/index.ts';
import { type Registry, registerSources } from '../../projections/registry.ts';
import { liveVersion } from '../../projections/store/version.ts';
import { parseChangeLine } from '../../workers/ingest/decode/change-line.ts';
import type { IncomingRecord } from '../../workers/ingest/decode/envelope.ts';
import { findSnapshots, loadSnapshot } from '../../workers/ingest/load-snapshot.ts';
import { rebuild } from '../../workers/project/build-version.ts';
import { brokenLines, changeLines } from '../change-data.ts';
import { differingKeys, documentsOf } from '../documents.ts';
import { expectedState, mirrorState, SAMPLE, SNAPSHOT_TIME } from '../mirror-state.ts';
import { withDatabase } from '../services/database.ts';
import { createTopics, kafkaClient, uniquePrefix } from '../services/kafka.ts';
import { letterOf } from './load.ts';
import { type Running, startProcess } from './processes.ts';
import { randomFrom } from './random.ts';
import { positions } from './verify.ts';

const SEED = Number(process.env.FAULT_SEED ?? Math.floor(Math.random() * 2 ** 31));
/** Changes of who is a member, one with each part of the events. */
const CHANGES = Number(process.env.FAULTS ?? 0) > 0 ? 20 : 5;
const WAIT = { timeout: 120_000, interval: 50 };
interface Member {
  readonly running: Running;
  /** Once it is at work. */
  readonly ready: Promise<void>;
}

/** Poll of a condition; nothing depends on its length. */
const LOOK_MS = 20;

const random = randomFrom(SEED);

describe(`two ingest workers and three projectors, joined and left by others (FAULT_SEED=${SEED})`, () => {
  const { url, pool } = withDatabase();
  const brokers = inject('kafkaBrokers');
  const prefix = uniquePrefix();
  const group = `${prefix}-ingest`;
  const started: Running[] = [];
  const members = { ingest: [] as Member[], project: [] as Member[] };
  const topicOf = (topic: string): string => topic.replace(/^producers/, prefix);
  let registry: Registry;
  /** Whole and broken events, these everywhere between those. */
  let records: IncomingRecord[];
  let letters: string[];

  beforeAll(async () => {
    registry = await registerSources(pool);
    for (const file of await findSnapshots(SAMPLE)) await loadSnapshot(pool, registry, file, SNAPSHOT_TIME);
    for (const projection of projections) await rebuild(pool, projection, registry);
    records = changeLines().map(parseChangeLine);
    const broken = brokenLines();
    for (const line of broken) records.splice(random.below(records.length), 0, parseChangeLine(line, 0));
    letters = broken
      .map((line) => letterOf(topicOf(parseChangeLine(line, 0).topic), JSON.parse(line).violations))
      .sort();
    const topics = new Set(records.map(({ topic }) => topicOf(topic)));
    // One partition each: these keys come in several forms, which a partitioner would take for different keys.
    const large = [{ name: 'max.message.bytes', value: '16000000' }];
    await createTopics(
      brokers,
      [...topics].map((topic) => ({ topic, configEntries: large })),
    );
  });

  afterAll(() => {
    for (const running of started) running.signal('SIGKILL');
  });

  async function send(part: readonly IncomingRecord[]): Promise<void> {
    const producer = kafkaClient(brokers).producer();
    await producer.connect();
    const byTopic = Map.groupBy(part, ({ topic }) => topicOf(topic));
    await producer.sendBatch({
      topicMessages: [...byTopic].map(([topic, all]) => ({ topic, messages: all.map(messageOf) })),
    });
    await producer.disconnect();
  }

  function join(kind: keyof typeof members): Promise<void> {
    const running = startProcess(`workers/${kind}/main.ts`, {
      DATABASE_URL: url,
      KAFKA_BROKERS: brokers,
      KAFKA_GROUP: group,
      TOPIC_PREFIX: prefix,
      KAFKA_SESSION_TIMEOUT_MS: '2000',
      LOG_LEVEL: 'info',
    });
    started.push(running);
    const ready = running.said(kind === 'ingest' ? 'consuming' : 'projecting');
    // Killed before that, it was not waited for.
    ready.catch(() => {});
    members[kind].push({ running, ready });
    return ready;
  }

  async function leave(kind: keyof typeof members, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const member = members[kind].shift();
    if (signal === 'SIGTERM') await member?.ready;
    member?.running.signal(signal);
    expect(await member?.running.ended()).toBe(signal === 'SIGTERM' ? 0 : signal);
  }

  const applied = async (): Promise<number> =>
    Object.values(await positions(pool, group)).reduce((sum, next) => sum + next, 0);

  async function untilApplied(count: number): Promise<void> {
    while ((await applied()) < count) {
      for (const { running } of [...members.ingest, ...members.project])
        if (running.hasEnded()) throw new Error(`a member ended by itself:\n${running.output()}`);
      await pause(LOOK_MS);
    }
  }

  it('apply every event once, keep every broken one, and leave no document behind', async () => {
    await Promise.all((['ingest', 'ingest', 'project', 'project', 'project'] as const).map(join));
    const size = Math.ceil(records.length / CHANGES);
    for (let change = 0; change < CHANGES; change++) {
      await send(records.slice(change * size, (change + 1) * size));
      // While what was sent is on its way.
      await untilApplied(change * size + random.below(size / 2));
      const kind = random.oneOf(['ingest', 'ingest', 'project'] as const);
      void join(kind);
      await leave(kind, random.oneOf(['SIGTERM', 'SIGKILL']));
    }
    await untilApplied(records.length);
    expect(await applied()).toBe(records.length);
    expect(await mirrorState(pool)).toEqual(expectedState);
    const { rows } = await pool.query('select topic, violations from ingest.dead_letter');
    expect(rows.map(({ topic, violations }) => letterOf(topic, violations)).sort()).toEqual(letters);

    await vi.waitFor(async () => {
      const { rows: marks } = await pool.query('select from projection.mark');
      expect(marks).toEqual([]);
    }, WAIT);
    for (const kind of ['ingest', 'project'] as const) {
      while (members[kind].length > 0) await leave(kind, 'SIGTERM');
    }
    for (const projection of projections) {
      const streamed = await liveVersion(pool, projection.name);
      if (streamed === null) throw new Error('no version is live');
      const documents = await documentsOf(pool, streamed);
      const rebuilt = await rebuild(pool, projection, registry);
      expect(differingKeys(await documentsOf(pool, rebuilt), documents)).toEqual([]);
    }
  }, 600_000);
});

const messageOf = ({ key, value, headers }: IncomingRecord): Message => ({
  key,
  value,
  headers: { ...headers },
});
