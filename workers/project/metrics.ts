import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** What projectors and builds did since the process started. */
export const projectMetrics = new Registry();

const registers = [projectMetrics];

const retries = new Counter({
  name: 'linernotes_retries_total',
  help: 'Failed attempts of a loop.',
  labelNames: ['loop'],
  registers,
});
const documents = new Counter({
  name: 'linernotes_documents_total',
  help: 'Documents projected, by outcome.',
  labelNames: ['projection', 'outcome'],
  registers,
});
const waits = new Histogram({
  name: 'linernotes_change_to_document_seconds',
  help: 'Time from applying the oldest change of a projected batch to writing its documents.',
  labelNames: ['projection'],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
  registers,
});
const build = new Gauge({
  name: 'linernotes_build_documents',
  help: 'Documents of a build, done and in total.',
  labelNames: ['projection', 'which'],
  registers,
});

/** A pass over the dirty marks failed and will be retried. */
export const countProjectRetry = (): void => retries.inc({ loop: 'project' });

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

/** Sets how far a build has come. */
export function setBuildProgress(
  projection: string,
  progress: { readonly done: number; readonly total: number },
): void {
  build.set({ projection, which: 'done' }, progress.done);
  build.set({ projection, which: 'total' }, progress.total);
}
