import type { Message } from 'kafkajs';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Registry, registerSources } from '../../projections/engine/registry.ts';
import { liveVersion } from '../../projections/engine/store/version.ts';
import { projections } from '../../projections/index.ts';
import { parseChangeLine } from '../../workers/ingest/decode/change-line.ts';
import type { IncomingRecord } from '../../workers/ingest/decode/envelope.ts';
import { findSnapshots, loadSnapshot } from '../../workers/ingest/snapshots/load-snapshot.ts';
import { brokenLines, changeLines } from '../support/ingest/change-data.ts';
import { expectedState, mirrorState, SAMPLE, SNAPSHOT_TIME } from '../support/ingest/mirror-state.ts';
import { pollUntil } from '../support/poll.ts';
import { differingKeys, documentsOf } from '../support/projections/documents.ts';
import { rebuild } from '../support/projections/rebuild.ts';
import { withDatabase } from '../support/services/database.ts';
import { createTopics, kafkaClient, uniquePrefix } from '../support/services/kafka.ts';
import { letterOf } from './load.ts';
import { type Running, startProcess } from './processes.ts';
import { randomFrom } from './random.ts';
import { positions } from './verify.ts';

const SEED = Number(process.env.FAULT_SEED ?? Math.floor(Math.random() * 2 ** 31));
/** Membership changes, one with each part of the events. */
const CHANGES = Number(process.env.FAULTS ?? 0) > 0 ? 20 : 5;
const WAIT = { timeoutMs: 120_000, intervalMs: 50 };

interface Member {
  readonly running: Running;
  /** Resolves once it works. */
  readonly ready: Promise<void>;
}

const random = randomFrom(SEED);

describe(`two ingest workers and three projectors, while workers join and leave (FAULT_SEED=${SEED})`, () => {
  const { url, pool } = withDatabase();
  const brokers = inject('kafkaBrokers');
  const prefix = uniquePrefix();
  const group = `${prefix}-ingest`;
  const started: Running[] = [];
  const members = { ingest: [] as Member[], project: [] as Member[] };
  const topicOf = (topic: string): string => topic.replace(/^producers/, prefix);
  let registry: Registry;
  /** Valid events with broken ones at random places between them. */
  let records: IncomingRecord[];
  let letters: string[];

  beforeAll(async () => {
    registry = await registerSources(pool);
    for (const file of await findSnapshots(SAMPLE))
      await loadSnapshot(pool, registry, file, { timeMs: SNAPSHOT_TIME });
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
    const ready = running.untilWritten(kind === 'ingest' ? 'consuming' : 'projecting');
    // It may be killed before it is ready.
    ready.catch(() => {});
    members[kind].push({ running, ready });
    return ready;
  }

  async function leave(kind: keyof typeof members, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const member = members[kind].shift();
    if (signal === 'SIGTERM') await member?.ready;
    member?.running.signal(signal);
    expect(await member?.running.untilEnded()).toBe(signal === 'SIGTERM' ? 0 : signal);
  }

  const applied = async (): Promise<number> =>
    Object.values(await positions(pool, group)).reduce((sum, next) => sum + next, 0);

  async function untilApplied(count: number): Promise<void> {
    await pollUntil(async () => {
      for (const { running } of [...members.ingest, ...members.project])
        if (running.hasEnded()) throw new Error(`a member ended without a signal:\n${running.output()}`);
      return (await applied()) >= count;
    }, WAIT);
  }

  it('apply every event once, quarantine every broken one, and project every document', async () => {
    await Promise.all((['ingest', 'ingest', 'project', 'project', 'project'] as const).map(join));
    const size = Math.ceil(records.length / CHANGES);
    for (let change = 0; change < CHANGES; change++) {
      await send(records.slice(change * size, (change + 1) * size));
      // While events are in flight.
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

    await pollUntil(async () => {
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
