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

it('commits again what could not be committed, unless a newer position or another assignment replaces it', async () => {
  const failing = () => Promise.reject(new Error('the coordinator moved'));
  const consumer = { commitOffsets: vi.fn<(offsets: unknown) => Promise<void>>(failing) };
  const commits = commitOffsets(consumer, log);
  commits.note(topicPartition(0), 5);
  commits.note(topicPartition(1), 7);
  await vi.advanceTimersByTimeAsync(0);
  commits.note(topicPartition(1), 8);
  consumer.commitOffsets.mockImplementation(async () => {});
  await vi.advanceTimersByTimeAsync(5_000);
  expect(consumer.commitOffsets.mock.calls.at(-1)).toEqual([
    [
      { topic: 't', partition: 0, offset: '5' },
      { topic: 't', partition: 1, offset: '8' },
    ],
  ]);
  const { promise: pending, reject } = Promise.withResolvers<void>();
  consumer.commitOffsets.mockImplementation(() => pending);
  commits.note(topicPartition(0), 6);
  await vi.advanceTimersByTimeAsync(5_000);
  commits.forget();
  reject(new Error('rebalancing'));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(consumer.commitOffsets).toHaveBeenCalledTimes(3);
});
