import { Agent, request } from 'node:http';
import type { Worker } from 'node:worker_threads';
import { afterEach, expect, it } from 'vitest';
import { freePort } from '../../infra/embedded/free-port.ts';
import { artistMomentum } from '../../projections/contracts/seen/artist-momentum.ts';
import { artistProjection } from '../../projections/models/artist/project.ts';
import { percentile } from '../bench/statistics.ts';
import { type Running, startProcess } from '../faults/processes.ts';
import { withQueryService } from '../support/query/service.ts';
import { rowsOf } from '../support/rows/source-rows.ts';
import { TASTE_SECRET } from '../support/taste/app.ts';
import { openCrowd } from './crowd.ts';

/** Hostile connections; from this many on, the service has its own limits. */
const SIZE = Number(process.env.ATTACK_CONNECTIONS ?? 320);
const isFull = SIZE >= 5_000;
/** Limits at which a small crowd is as much as 10,000 connections with those of the service. */
const SMALL_LIMITS = {
  MAX_CONNECTIONS: '160',
  HEADERS_TIMEOUT_MS: '2000',
  REQUEST_TIMEOUT_MS: '4000',
  KEYLESS_KEEP_ALIVE_MS: '4000',
};
/** Until nothing of a crowd is held: its limits are shorter, but the machine may be busy. */
const GONE_MS = 60_000;
const SERVICE_LIMIT_MS = 15_000;
/** Of a service after its first requests, which a crowd may leave in the heap until it is collected. */
const LEFT_BYTES = 64 * 2 ** 20;

const service = withQueryService({
  rows: [rowsOf(artistMomentum, {})],
  projections: [artistProjection],
});
const running: { readonly processes: Running[]; readonly crowds: Worker[] } = { processes: [], crowds: [] };
afterEach(async () => {
  for (const crowd of running.crowds.splice(0)) await crowd.terminate();
  for (const one of running.processes.splice(0)) {
    one.signal('SIGTERM');
    await one.untilEnded();
  }
});

interface Started {
  readonly port: number;
  /** The value of a metric of the process. */
  metric(name: string): Promise<number>;
}

async function start(entry: string, env: Readonly<Record<string, string>>): Promise<Started> {
  const [port, opsPort] = [await freePort(), await freePort()];
  const limits = isFull ? {} : SMALL_LIMITS;
  const started = startProcess(entry, {
    ...{ DATABASE_URL: service.url, PORT: String(port), TASTE_PORT: String(port), OPS_PORT: String(opsPort) },
    ...{ TASTE_SECRET, ...limits, ...env },
  });
  running.processes.push(started);
  await started.untilWritten('service listens');
  return {
    port,
    async metric(name) {
      const text = await (await fetch(`http://127.0.0.1:${opsPort}/metrics`)).text();
      const value = new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1];
      if (value === undefined) throw new Error(`there is no metric ${name}`);
      return Number(value);
    },
  };
}

const attack = async (port: number): Promise<void> => {
  running.crowds.push(await openCrowd(port, SIZE));
};

/** One is kept, and one is new for each request. */
const CONNECTIONS_OF_CLIENT = 2;
const kept = new Agent({ keepAlive: true, maxSockets: 1 });

/** The status of a response, on a new connection or on the one that is kept. */
const statusOf = (url: string, headers: Readonly<Record<string, string>>, agent: Agent | false) =>
  new Promise<number>((resolve, reject) => {
    const sent = request(url, { headers, agent }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0));
    });
    sent.once('error', reject).end();
  });

/** A client with a key that goes on until it is stopped. */
function keepAsking(url: string, headers: Readonly<Record<string, string>>) {
  const responses: { readonly status: number; readonly ms: number }[] = [];
  let isStopped = false;
  const asking = (async () => {
    while (!isStopped)
      for (const agent of [kept, false] as const) {
        const begun = performance.now();
        const status = await statusOf(url, headers, agent);
        responses.push({ status, ms: performance.now() - begun });
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
  })();
  return {
    async stop() {
      isStopped = true;
      await asking;
      return responses;
    },
  };
}

it(`${SIZE} hostile connections hold nothing, and shut out no client with a key`, async () => {
  const { port, metric } = await start('services/query/main.ts', {});
  const url = `http://127.0.0.1:${port}/api/v2/artist/mono`;
  const heap = async () =>
    (await metric('nodejs_heap_size_used_bytes')) + (await metric('nodejs_external_memory_bytes'));
  for (const agent of [kept, false] as const) expect(await statusOf(url, service.key(), agent)).toBe(200);
  const before = { heap: await heap(), resident: await metric('process_resident_memory_bytes') };

  const client = keepAsking(url, service.key());
  await attack(port);
  const filledAt = performance.now();
  let highest = 0;
  await expect
    .poll(
      async () => {
        highest = Math.max(highest, await metric('process_resident_memory_bytes'));
        return metric('linernotes_connections_open');
      },
      { timeout: GONE_MS },
    )
    .toBeLessThanOrEqual(CONNECTIONS_OF_CLIENT);
  const goneMs = performance.now() - filledAt;
  const responses = await client.stop();
  await expect.poll(() => metric('linernotes_requests_in_flight')).toBe(0);
  // Requests let the collector run.
  const heapAfterRequests = async () => {
    await Promise.all(Array.from({ length: 100 }, () => statusOf(url, service.key(), kept)));
    return heap();
  };
  await expect.poll(heapAfterRequests, { timeout: GONE_MS }).toBeLessThan(before.heap + LEFT_BYTES);

  const times = responses.map(({ ms }) => ms).sort((a, b) => a - b);
  const inMb = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MB`;
  process.stderr.write(
    `${[
      `${SIZE} hostile connections, gone ${Math.round(goneMs)} ms after the last one`,
      `closed for room ${await metric('linernotes_connections_evicted_total')}, idle ${await metric('linernotes_connections_idle_total')}, unread ${await metric('linernotes_connections_unread_total')}`,
      `client with a key: ${responses.length} responses, ${responses.filter(({ status }) => status !== 200).length} others than 200, p50 ${Math.round(percentile(times, 0.5))} ms, p99 ${Math.round(percentile(times, 0.99))} ms`,
      `heap ${inMb(before.heap)}, then ${inMb(await heap())}; resident ${inMb(before.resident)}, at most ${inMb(highest)}, then ${inMb(await metric('process_resident_memory_bytes'))}`,
    ].join('\n')}\n`,
  );
  expect(responses.filter(({ status }) => status !== 200)).toEqual([]);
  if (isFull) expect(goneMs).toBeLessThan(SERVICE_LIMIT_MS);
}, 300_000);

it(`${SIZE} hostile connections leave the taste service too`, async () => {
  const { port, metric } = await start('services/taste/main.ts', {});
  await attack(port);
  expect(await statusOf(`http://127.0.0.1:${port}/contracts/v1`, {}, false)).toBe(200);
  await expect.poll(() => metric('linernotes_connections_open'), { timeout: GONE_MS }).toBe(0);
}, 300_000);
