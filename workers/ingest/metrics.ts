import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** What ingest did since the process started. */
export const ingestMetrics = new Registry();

const registers = [ingestMetrics];

const batches = new Histogram({
  name: 'linernotes_ingest_batch_seconds',
  help: 'Time to apply one batch of records, committed.',
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  registers,
});
const applied = new Counter({
  name: 'linernotes_ingest_applied_total',
  help: 'Rows that replaced an older state.',
  registers,
});
const deadLetters = new Counter({
  name: 'linernotes_ingest_dead_letters_total',
  help: 'Records that became dead letters.',
  registers,
});
const retries = new Counter({
  name: 'linernotes_retries_total',
  help: 'Failed attempts of a loop.',
  labelNames: ['loop'],
  registers,
});
const lag = new Gauge({
  name: 'linernotes_consumer_lag_records',
  help: 'Records of an assigned partition that are not applied yet.',
  labelNames: ['topic', 'partition'],
  registers,
});

const columnChanges = new Counter({
  name: 'linernotes_column_changes_total',
  help: 'Columns of producers’ tables that were added, dropped, renamed or changed their type.',
  labelNames: ['source', 'kind'],
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

/** A batch failed and will be retried. */
export const countIngestRetry = (): void => retries.inc({ loop: 'ingest' });

/** Sets the number of records of a partition that are not applied yet. */
export function setLag(topic: string, partition: number, records: number): void {
  lag.set({ topic, partition }, Math.max(0, records));
}

/** The process has no partition any more, or does not know which. */
export const forgetLags = (): void => lag.reset();

/** A column of a producer's table changed. */
export const countColumnChange = (source: string, kind: string): void => columnChanges.inc({ source, kind });
