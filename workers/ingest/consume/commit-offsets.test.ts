import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { commitOffsets } from './commit-offsets.ts';

const log = pino({ level: 'silent' });
const topicPartition = (partition: number) => ({ group: 'g', topic: 't', partition });

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

it('commits the first position soon, and the newest ones every five seconds', async () => {
  const consumer = { commitOffsets: vi.fn(async () => {}) };
  const commits = commitOffsets(consumer, log);
  commits.note(topicPartition(0), 5);
  await vi.advanceTimersByTimeAsync(0);
  commits.note(topicPartition(0), 8);
  commits.note(topicPartition(1), 2);
  commits.note(topicPartition(0), 9);
  await vi.advanceTimersByTimeAsync(4_999);
  expect(consumer.commitOffsets.mock.calls).toEqual([[[{ topic: 't', partition: 0, offset: '5' }]]]);
  await vi.advanceTimersByTimeAsync(1);
  expect(consumer.commitOffsets.mock.calls[1]).toEqual([
    [
      { topic: 't', partition: 0, offset: '9' },
      { topic: 't', partition: 1, offset: '2' },
    ],
  ]);
});

it('drops partitions that other members may own, and survives a failed commit', async () => {
  const consumer = { commitOffsets: vi.fn(() => Promise.reject(new Error('rebalancing'))) };
  const commits = commitOffsets(consumer, log);
  commits.note(topicPartition(0), 5);
  commits.forget();
  await commits.flush();
  expect(consumer.commitOffsets).not.toHaveBeenCalled();
  commits.note(topicPartition(0), 6);
  await commits.flush();
  expect(consumer.commitOffsets).toHaveBeenCalledTimes(1);
});
