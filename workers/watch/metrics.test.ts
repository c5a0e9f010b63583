import { beforeEach, expect, it } from 'vitest';
import {
  countBatch,
  countProjected,
  countRetry,
  forgetLags,
  showBuild,
  showLag,
  workerMetrics,
} from './metrics.ts';

beforeEach(() => workerMetrics.resetMetrics());

async function values(name: string): Promise<string[]> {
  const text = await workerMetrics.metrics();
  return text.split('\n').filter((line) => line.startsWith(`linernotes_${name}`));
}

it('batches add up', async () => {
  countBatch({ applied: 7, deadLetters: 1 }, 0.2);
  countBatch({ applied: 3, deadLetters: 0 }, 0.02);
  countRetry('ingest');
  expect(await values('ingest_applied_total')).toEqual(['linernotes_ingest_applied_total 10']);
  expect(await values('ingest_dead_letters_total')).toEqual(['linernotes_ingest_dead_letters_total 1']);
  expect(await values('ingest_batch_seconds_count')).toEqual(['linernotes_ingest_batch_seconds_count 2']);
  expect(await values('ingest_batch_seconds_bucket{le="0.025"}')).toEqual([
    'linernotes_ingest_batch_seconds_bucket{le="0.025"} 1',
  ]);
  expect(await values('retries_total')).toEqual(['linernotes_retries_total{loop="ingest"} 1']);
});

it('the lag of a partition is what is left of it, and is forgotten with the partition', async () => {
  showLag('t', 2, 100, 40);
  showLag('t', 3, 10, 10);
  showLag('t', 4, 9, 10);
  expect(await values('consumer_lag_records')).toEqual([
    'linernotes_consumer_lag_records{topic="t",partition="2"} 60',
    'linernotes_consumer_lag_records{topic="t",partition="3"} 0',
    'linernotes_consumer_lag_records{topic="t",partition="4"} 0',
  ]);
  forgetLags();
  expect(await values('consumer_lag_records')).toEqual([]);
});

it('documents are counted by what became of them, and builds by how far they are', async () => {
  countProjected('artist', { changed: 2, unchanged: 5, removed: 1 }, 0.3);
  countProjected('artist', { changed: 1, unchanged: 0, removed: 0 }, 0.3);
  showBuild('label', { done: 5, total: 20 });
  expect(await values('documents_total')).toEqual([
    'linernotes_documents_total{projection="artist",outcome="changed"} 3',
    'linernotes_documents_total{projection="artist",outcome="unchanged"} 5',
    'linernotes_documents_total{projection="artist",outcome="removed"} 1',
  ]);
  expect(await values('change_to_document_seconds_count')).toEqual([
    'linernotes_change_to_document_seconds_count{projection="artist"} 2',
  ]);
  expect(await values('build_documents')).toEqual([
    'linernotes_build_documents{projection="label",which="done"} 5',
    'linernotes_build_documents{projection="label",which="total"} 20',
  ]);
});
