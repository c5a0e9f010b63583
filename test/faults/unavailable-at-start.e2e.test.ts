import { connect as connectSocket, createServer, type Server } from 'node:net';
import { afterEach, describe, expect, inject, it, onTestFinished } from 'vitest';
import { freePort } from '../../infra/embedded/free-port.ts';
import { pollUntil } from '../support/poll.ts';
import { withDatabase } from '../support/services/database.ts';
import { createTopics, kafkaClient, uniquePrefix } from '../support/services/kafka.ts';
import { type Running, startProcess } from './processes.ts';

const TABLE = 'seen.artist_momentum';

/** Forwards connections from a port to another address. */
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

/** The URL of a database by way of a gateway. */
function throughPort(databaseUrl: string, port: number): string {
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${port}`;
  url.searchParams.delete('host');
  return url.href;
}

describe('an ingest worker whose dependency is unavailable at the start', () => {
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

  const databaseAt = (port: number): string => throughPort(database.url, port);

  async function sendBroken(topic: string): Promise<void> {
    await createTopics(brokers, [{ topic }]);
    const producer = kafkaClient(brokers).producer();
    await producer.connect();
    await producer.send({ topic, messages: [{ key: '{}', value: '{}' }] });
    await producer.disconnect();
  }

  const untilRead = (topic: string) =>
    pollUntil(async () => {
      const { rows } = await database.pool.query('select next_offset from ingest.position where topic = $1', [
        topic,
      ]);
      expect(rows).toEqual([{ next_offset: '1' }]);
    });

  /** A worker that cannot stop by itself exits with 1. */
  async function expectGracefulStop(): Promise<void> {
    worker?.signal('SIGTERM');
    expect(await worker?.untilEnded()).toBe(0);
  }

  it.each([
    ['PostgreSQL', 'DATABASE_URL', databaseAt, 'cannot reach the database; retrying'],
    ['Kafka', 'KAFKA_BROKERS', (port: number) => `127.0.0.1:${port}`, 'Failed to connect to seed broker'],
  ])(
    'waits for %s, logs that it waits, and stops gracefully on SIGTERM',
    async (_, name, addressAt, logLine) => {
      const running = start({ [name]: addressAt(await freePort()), TOPIC_PREFIX: uniquePrefix() });
      await running.untilWritten(logLine);
      await expectGracefulStop();
    },
  );

  it.each([
    [
      'PostgreSQL',
      'DATABASE_URL',
      databaseAt,
      () => new URL(database.url).host,
      'cannot reach the database; retrying',
    ],
    [
      'Kafka',
      'KAFKA_BROKERS',
      (port: number) => `127.0.0.1:${port}`,
      () => brokers,
      'Failed to connect to seed broker',
    ],
  ])('starts to work when %s becomes available', async (_, name, addressAt, real, logLine) => {
    const port = await freePort();
    const prefix = uniquePrefix();
    const topic = `${prefix}.${TABLE}`;
    await sendBroken(topic);
    const running = start({ [name]: addressAt(port), KAFKA_GROUP: `${prefix}-ingest`, TOPIC_PREFIX: prefix });
    await running.untilWritten(logLine);
    open = await gateway(port, real());
    await untilRead(topic);
    await expectGracefulStop();
  });
});

describe('an API whose database is unavailable at the start', () => {
  const database = withDatabase();

  it('waits, logs each attempt, and serves when the database becomes available', async () => {
    const port = await freePort();
    const api = startProcess('services/query/main.ts', {
      DATABASE_URL: throughPort(database.url, port),
      PORT: '0',
      OPS_PORT: '0',
    });
    onTestFinished(() => api.signal('SIGKILL'));
    await api.untilWritten('"failures":2');
    expect(api.output()).toContain('cannot reach the database; retrying');
    const operations = /"url":"(http:[^"]+)"/.exec(api.output())?.[1];
    expect((await fetch(`${operations}/ready`)).status).toBe(503);
    const open = await gateway(port, new URL(database.url).host);
    onTestFinished(() => void open.close());
    await api.untilWritten('query service listens');
    api.signal('SIGTERM');
    expect(await api.untilEnded()).toBe(0);
  });

  it('stops gracefully on SIGTERM while it waits', async () => {
    const api = startProcess('services/query/main.ts', {
      DATABASE_URL: throughPort(database.url, await freePort()),
      PORT: '0',
    });
    onTestFinished(() => api.signal('SIGKILL'));
    await api.untilWritten('cannot reach the database; retrying');
    api.signal('SIGTERM');
    expect(await api.untilEnded()).toBe(0);
  });
});
