import { describe, expect, it } from 'vitest';
import { consumerFindings, partitionMetrics, type WatchedConsumer } from './ingest-state.ts';

type Partition = ReturnType<WatchedConsumer['partitions']>[number];

const partition = (number: number, state: Partition['state'], reason: string | null = null): Partition => ({
  topic: 't',
  partition: number,
  state,
  reason,
});

const consumer = (partitions: readonly Partition[]): WatchedConsumer => ({
  connection: () => ({ state: 'running', reason: null }),
  partitions: () => partitions,
});

describe('a consumer', () => {
  it('is ready when it is a member of its group, with or without partitions', () => {
    expect(consumerFindings(consumer([]))).toEqual([]);
    expect(consumerFindings(consumer([partition(0, 'running')]))).toEqual([]);
  });

  it('is not ready before Kafka is available', () => {
    expect(consumerFindings(null)).toEqual([{ what: 'kafka', detail: 'not connected yet' }]);
    const unavailable: WatchedConsumer = {
      connection: () => ({ state: 'waiting', reason: 'no broker answers' }),
      partitions: () => [],
    };
    expect(consumerFindings(unavailable)).toEqual([{ what: 'kafka', detail: 'no broker answers' }]);
  });

  it('is not ready while all its partitions wait', () => {
    const all = [partition(0, 'waiting', 'disk full'), partition(1, 'stopped', 'gap')];
    expect(consumerFindings(consumer(all))).toEqual([{ what: 'partitions', detail: 'disk full' }]);
    expect(consumerFindings(consumer([...all, partition(2, 'running')]))).toEqual([]);
  });
});

it('lists the state of each partition', async () => {
  const text = await partitionMetrics(() => consumer([partition(3, 'stopped')])).metrics();
  expect(text.split('\n').filter((line) => line.startsWith('linernotes'))).toEqual([
    'linernotes_partition_state{topic="t",partition="3",state="running"} 0',
    'linernotes_partition_state{topic="t",partition="3",state="waiting"} 0',
    'linernotes_partition_state{topic="t",partition="3",state="stopped"} 1',
  ]);
  expect(await partitionMetrics(() => null).metrics()).not.toContain('topic=');
});
