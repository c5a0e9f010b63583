import { setTimeout as pause } from 'node:timers/promises';
import { kafkaClient } from '../../support/services/kafka.ts';
import { generateChanges } from '../data/changes.ts';
import { sendEvents } from '../ingest/event-log.ts';
import { handleJobs } from './handle-jobs.ts';

/** Sends changes at a steady pace until it is stopped. */
export type TrafficJob =
  | {
      readonly kind: 'start';
      readonly brokers: string;
      readonly prefix: string;
      readonly seed: number;
      readonly artists: number;
      readonly perSecond: number;
      /** Number of the first change. */
      readonly from: number;
    }
  | { readonly kind: 'stop' };

const BEAT_MS = 50;

let isEnding = false;
let running: Promise<number> = Promise.resolve(0);

/** Resolves a start to 0, and a stop to the number of changes sent. */
handleJobs<TrafficJob, number>(async (job) => {
  if (job.kind === 'stop') {
    isEnding = true;
    return running;
  }
  isEnding = false;
  running = send(job);
  return 0;
});

async function send(job: Extract<TrafficJob, { kind: 'start' }>): Promise<number> {
  const producer = kafkaClient(job.brokers).producer();
  await producer.connect();
  const start = performance.now();
  let sent = 0;
  while (!isEnding) {
    const due = Math.floor(((performance.now() - start) / 1_000) * job.perSecond);
    if (due > sent) {
      const changes = generateChanges({ ...job, from: job.from + sent, to: job.from + due });
      await sendEvents(producer, job.prefix, changes);
      sent = due;
    }
    await pause(BEAT_MS);
  }
  await producer.disconnect();
  return sent;
}
