import { beforeEach, expect, it } from 'vitest';
import { countBatch, countIngestRetry, forgetLags, ingestMetrics, setLag } from './metrics.ts';

beforeEach(() => ingestMetrics.resetMetrics());

async function values(name: string): Promise<string[]> {
  const text = await ingestMetrics.metrics();
  return text.split('\n').filter((line) => line.startsWith(`linernotes_${name}`));
}

it('batches are summed', async () => {
  countBatch({ applied: 7, deadLetters: 1 }, 0.2);
  countBatch({ applied: 3, deadLetters: 0 }, 0.02);
  countIngestRetry();
  expect(await values('ingest_applied_total')).toEqual(['linernotes_ingest_applied_total 10']);
  expect(await values('ingest_dead_letters_total')).toEqual(['linernotes_ingest_dead_letters_total 1']);
  expect(await values('ingest_batch_seconds_count')).toEqual(['linernotes_ingest_batch_seconds_count 2']);
  expect(await values('ingest_batch_seconds_bucket{le="0.025"}')).toEqual([
    'linernotes_ingest_batch_seconds_bucket{le="0.025"} 1',
  ]);
  expect(await values('retries_total')).toEqual(['linernotes_retries_total{loop="ingest"} 1']);
});

it('the lag of a partition counts the records left, and disappears with the assignment', async () => {
  setLag('t', 2, 60);
  setLag('t', 3, 0);
  setLag('t', 4, -1);
  expect(await values('consumer_lag_records')).toEqual([
    'linernotes_consumer_lag_records{topic="t",partition="2"} 60',
    'linernotes_consumer_lag_records{topic="t",partition="3"} 0',
    'linernotes_consumer_lag_records{topic="t",partition="4"} 0',
  ]);
  forgetLags();
  expect(await values('consumer_lag_records')).toEqual([]);
});
