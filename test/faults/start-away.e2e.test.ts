import { connect as connectSocket, createServer, type Server } from 'node:net';
import { afterEach, describe, expect, inject, it, vi } from 'vitest';
import { freePort } from '../../infra/embedded/free-port.ts';
import { withDatabase } from '../services/database.ts';
import { createTopics, kafkaClient, uniquePrefix } from '../services/kafka.ts';
import { type Running, startProcess } from './processes.ts';

const WAIT = { timeout: 60_000, interval: 50 };
const PROMPTLY_MS = 3_000;
const TABLE = 'seen.artist_momentum';

/** Lets connections to a port through to another address, as soon as it is opened. */
function gateway(port: number, to: string): Promise<Server> {
  const [host, toPort] = to.split(':');
  const server = createServer((socket) => {
    const through = connectSocket(Number(toPort), host);
    socket.pipe(through).pipe(socket);
    for (const end of [socket, through]) end.on('error', () => {});
  });
  return new Promise((resolve) => {
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}

describe('an ingest worker that is started before what it needs', () => {
  const database = withDatabase();
  const brokers = inject('kafkaBrokers');
  let worker: Running | null = null;
  let open: Server | null = null;

  afterEach(() => {
    worker?.signal('SIGKILL');
    open?.close();
  });

  function start(env: Readonly<Record<string, string>>): Running {
    worker = startProcess('workers/ingest/main.ts', {
      DATABASE_URL: database.url,
      KAFKA_BROKERS: brokers,
      KAFKA_SESSION_TIMEOUT_MS: '1000',
      LOG_LEVEL: 'info',
      ...env,
    });
    return worker;
  }

  function databaseAt(port: number): string {
    const url = new URL(database.url);
    url.host = `127.0.0.1:${port}`;
    url.searchParams.delete('host');
    return url.href;
  }

  async function sendBroken(topic: string): Promise<void> {
    await createTopics(brokers, [{ topic }]);
    const producer = kafkaClient(brokers).producer();
    await producer.connect();
    await producer.send({ topic, messages: [{ key: '{}', value: '{}' }] });
    await producer.disconnect();
  }

  const untilRead = (topic: string) =>
    vi.waitFor(async () => {
      const { rows } = await database.pool.query('select next_offset from ingest.position where topic = $1', [
        topic,
      ]);
      expect(rows).toEqual([{ next_offset: '1' }]);
    }, WAIT);

  async function expectPromptEnd(): Promise<void> {
    const from = performance.now();
    worker?.signal('SIGTERM');
    expect(await worker?.ended()).toBe(0);
    expect(performance.now() - from).toBeLessThan(PROMPTLY_MS);
  }

  it.each([
    ['PostgreSQL', 'DATABASE_URL', databaseAt, 'cannot reach the database; waiting'],
    ['Kafka', 'KAFKA_BROKERS', (port: number) => `127.0.0.1:${port}`, 'Failed to connect to seed broker'],
  ])(
    'waits for %s and says so, and ends promptly when it is told to',
    async (_, name, addressAt, complaint) => {
      const running = start({ [name]: addressAt(await freePort()), TOPIC_PREFIX: uniquePrefix() });
      await running.said(complaint);
      await expectPromptEnd();
    },
  );

  it.each([
    [
      'PostgreSQL',
      'DATABASE_URL',
      databaseAt,
      () => new URL(database.url).host,
      'cannot reach the database; waiting',
    ],
    [
      'Kafka',
      'KAFKA_BROKERS',
      (port: number) => `127.0.0.1:${port}`,
      () => brokers,
      'Failed to connect to seed broker',
    ],
  ])('begins by itself when %s is there', async (_, name, addressAt, real, complaint) => {
    const port = await freePort();
    const prefix = uniquePrefix();
    const topic = `${prefix}.${TABLE}`;
    await sendBroken(topic);
    const running = start({ [name]: addressAt(port), KAFKA_GROUP: `${prefix}-ingest`, TOPIC_PREFIX: prefix });
    await running.said(complaint);
    open = await gateway(port, real());
    await untilRead(topic);
    await expectPromptEnd();
  });
});
