import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** What this process has done since it started. */
export const workerMetrics = new Registry();

const registers = [workerMetrics];
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

const batches = new Histogram({
  name: 'linernotes_ingest_batch_seconds',
  help: 'Time to apply one batch of records, committed.',
  buckets: SECONDS,
  registers,
});
const applied = new Counter({
  name: 'linernotes_ingest_applied_total',
  help: 'Rows that became newer.',
  registers,
});
const deadLetters = new Counter({
  name: 'linernotes_ingest_dead_letters_total',
  help: 'Records put into the dead letters.',
  registers,
});
const retries = new Counter({
  name: 'linernotes_retries_total',
  help: 'Turns of a loop that failed and were tried again.',
  labelNames: ['loop'],
  registers,
});
const lag = new Gauge({
  name: 'linernotes_consumer_lag_records',
  help: 'Records of a partition that this process holds and has not applied.',
  labelNames: ['topic', 'partition'],
  registers,
});
const documents = new Counter({
  name: 'linernotes_documents_total',
  help: 'Documents projected, by what became of them.',
  labelNames: ['projection', 'outcome'],
  registers,
});
const waits = new Histogram({
  name: 'linernotes_change_to_document_seconds',
  help: 'Time from the oldest change of a projected batch, applied, to its documents, written.',
  labelNames: ['projection'],
  buckets: [...SECONDS, 60, 300],
  registers,
});
const build = new Gauge({
  name: 'linernotes_build_documents',
  help: 'Documents of a build, done and in total.',
  labelNames: ['projection', 'which'],
  registers,
});

/** A batch was applied and committed. */
export function countBatch(
  done: { readonly applied: number; readonly deadLetters: number },
  seconds: number,
): void {
  batches.observe(seconds);
  applied.inc(done.applied);
  deadLetters.inc(done.deadLetters);
}

/** A loop's turn failed and will be tried again. */
export const countRetry = (loop: 'ingest' | 'project'): void => retries.inc({ loop });

/** How many records of a partition are left when those before `nextOffset` are applied. */
export function showLag(topic: string, partition: number, highWatermark: number, nextOffset: number): void {
  lag.set({ topic, partition }, Math.max(0, highWatermark - nextOffset));
}

/** The process holds no partition any more, or does not know which. */
export const forgetLags = (): void => lag.reset();

/** Documents of one transaction were written. @param waitedSeconds since the oldest of their changes was applied */
export function countProjected(
  projection: string,
  written: { readonly changed: number; readonly unchanged: number; readonly removed: number },
  waitedSeconds: number,
): void {
  for (const outcome of ['changed', 'unchanged', 'removed'] as const) {
    documents.inc({ projection, outcome }, written[outcome]);
  }
  waits.observe({ projection }, waitedSeconds);
}

/** How far a build has come. */
export function showBuild(
  projection: string,
  progress: { readonly done: number; readonly total: number },
): void {
  build.set({ projection, which: 'done' }, progress.done);
  build.set({ projection, which: 'total' }, progress.total);
}
