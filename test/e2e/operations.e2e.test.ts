import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { artistMomentum } from '../../projections/contracts/seen/artist-momentum.ts';
import { registerSources } from '../../projections/engine/registry.ts';
import { projections } from '../../projections/index.ts';
import { type Running, startProcess } from '../faults/processes.ts';
import { pollUntil } from '../support/poll.ts';
import { rebuild } from '../support/projections/rebuild.ts';
import { rowsOf } from '../support/rows/source-rows.ts';
import { type BreakableLink, breakableLink } from '../support/services/breakable-link.ts';
import { withDatabase } from '../support/services/database.ts';
import { createTopics, kafkaClient, uniquePrefix } from '../support/services/kafka.ts';

const WAIT = { timeoutMs: 60_000 };

describe('a worker and its dependencies', () => {
  const database = withDatabase();
  const brokers = inject('kafkaBrokers');
  const prefix = uniquePrefix();
  const topic = `${prefix}.${artistMomentum.table}`;
  const workers: Running[] = [];
  let link: BreakableLink;

  beforeAll(async () => {
    const registry = await registerSources(database.pool);
    for (const projection of projections) await rebuild(database.pool, projection, registry);
    await createTopics(brokers, [{ topic }]);
    link = await breakableLink(database.url);
  });
  afterAll(async () => {
    for (const worker of workers) worker.child.kill('SIGKILL');
    await link.cut();
  });

  /** Starts a worker. @returns the URL of its operations server */
  async function start(entry: string): Promise<{ worker: Running; url: string }> {
    const worker = startProcess(entry, {
      DATABASE_URL: link.through(database.url),
      KAFKA_BROKERS: brokers,
      KAFKA_GROUP: `${prefix}-ingest`,
      TOPIC_PREFIX: prefix,
      OPS_PORT: '0',
    });
    workers.push(worker);
    await worker.untilWritten('serving operations');
    return { worker, url: /"url":"(http:[^"]+)"/.exec(worker.output())?.[1] ?? '' };
  }

  async function ask(url: string, path: string, limitMs = 30_000) {
    const answer = await fetch(`${url}${path}`, { signal: AbortSignal.timeout(limitMs) });
    return { status: answer.status, text: await answer.text() };
  }

  const until = (url: string, path: string, status: number) =>
    pollUntil(async () => {
      const answer = await ask(url, path);
      return answer.status === status && answer;
    }, WAIT);

  async function produce(ago: number): Promise<void> {
    const producer = kafkaClient(brokers).producer();
    await producer.connect();
    const [row] = rowsOf(artistMomentum, {}).rows;
    const source = { ts_ms: Date.now() - ago, lsn: 100, sequence: '["99","100"]' };
    await producer.send({
      topic,
      messages: [
        {
          key: JSON.stringify({ cluster_id: row?.cluster_id }),
          value: JSON.stringify({ op: 'c', after: row, source }),
        },
        { key: '{}', value: '{"op": "x"}' },
      ],
    });
    await producer.disconnect();
  }

  it('reports liveness, readiness and lag separately', { timeout: 180_000 }, async () => {
    const { worker, url } = await start('workers/ingest/main.ts');
    await until(url, '/ready', 200);
    await produce(5_000);
    const { text } = await pollUntil(async () => {
      const metrics = await ask(url, '/metrics');
      return metrics.text.includes('linernotes_ingest_applied_total 1') && metrics;
    }, WAIT);
    expect(text).toContain('linernotes_ingest_dead_letters_total 1');
    expect(text).toContain(`linernotes_consumer_lag_records{topic="${topic}",partition="0"} 0`);
    expect(text).toContain(`linernotes_partition_state{topic="${topic}",partition="0",state="running"} 1`);
    expect(text).toContain(`linernotes_dead_letters_open{source="${artistMomentum.table}"} 1`);
    const connector = /source_lag_seconds\{source="seen.artist_momentum",stage="connector"\} (\S+)/.exec(
      text,
    )?.[1];
    expect(Number(connector)).toBeGreaterThanOrEqual(5);
    expect(Number(connector)).toBeLessThan(60);

    await link.cut();
    const { text: causes } = await until(url, '/ready', 503);
    expect(JSON.parse(causes)).toMatchObject({ causes: [{ what: 'database' }] });
    expect((await ask(url, '/health')).status).toBe(200);
    expect((await ask(url, '/metrics')).text).toContain('linernotes_freshness_up 0');
    await link.mend();
    await until(url, '/ready', 200);

    worker.signal('SIGSTOP');
    await expect(ask(url, '/health', 500)).rejects.toThrow('timeout');
    worker.signal('SIGCONT');
    expect((await until(url, '/health', 200)).text).toBe('{"status":"ok"}');
    worker.signal('SIGTERM');
    expect(await worker.untilEnded()).toBe(0);
    expect(worker.output()).not.toContain('Warning:');
  });

  it('serves health and readiness while they are still unavailable', { timeout: 180_000 }, async () => {
    await link.cut();
    const { worker, url } = await start('workers/ingest/main.ts');
    expect((await ask(url, '/health')).status).toBe(200);
    const { status, text } = await ask(url, '/ready');
    expect(status).toBe(503);
    expect(JSON.parse(text).causes.map(({ what }: { what: string }) => what)).toEqual(['database', 'kafka']);
    await link.mend();
    await until(url, '/ready', 200);
    worker.signal('SIGTERM');
    expect(await worker.untilEnded()).toBe(0);
  });
});
