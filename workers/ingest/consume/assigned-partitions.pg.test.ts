import { DatabaseError } from 'pg';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { withDatabase } from '../../../test/support/services/database.ts';
import { PositionLost } from '../apply/position.ts';
import { assignedPartitions, type PartitionAssignment } from './assigned-partitions.ts';
import type { AssignedPartition } from './partition-state.ts';

const { pool } = withDatabase();
const WAIT = { timeout: 30_000, interval: 20 };

/** The calls of the consumer, in order. */
let calls: string[];
/** The partitions that continue, each at its stored position. */
let opened: string[];
let assignment: PartitionAssignment;

const idsOf = (topics: readonly { topic: string; partitions?: readonly number[] }[]): string =>
  topics.map(({ topic, partitions }) => `${topic}/${partitions?.join()}`).join();

beforeEach(async () => {
  calls = [];
  opened = [];
  await pool.query(
    `truncate ingest.position; insert into ingest.position values ('g', 't', 0, 5), ('g', 't', 1, 7)`,
  );
  assignment = assignedPartitions({
    consumer: {
      seek: ({ topic, partition, offset }) => void calls.push(`seek ${topic}/${partition} ${offset}`),
      pause: (topics) => void calls.push(`pause ${idsOf(topics)}`),
      resume: (topics) => void calls.push(`resume ${idsOf(topics)}`),
    },
    pool,
    log: pino({ level: 'silent' }),
    group: 'g',
    onOpened: ({ topic, partition }, position) => void opened.push(`${topic}/${partition} ${position}`),
  });
});
afterEach(() => assignment.stop());

const untilCalled = (expected: string[]) => expect.poll(() => calls).toEqual(expected);

async function assign(...partitions: number[]): Promise<void> {
  assignment.assign({ t: partitions });
  await expect
    .poll(() => assignment.states().map(({ state }) => state))
    .toEqual(partitions.map(() => 'running'));
  calls.splice(0);
}

function begin(partition: number): AssignedPartition {
  const assigned = assignment.beginBatch('t', partition);
  if (assigned === null) throw new Error(`partition ${partition} cannot begin a batch`);
  return assigned;
}

function diskFull(): Error {
  const error = new DatabaseError('No space left on device', 0, 'error');
  error.code = '53100';
  return error;
}

it('fetches nothing before the stored positions are known, and from the start without one', async () => {
  assignment.assign({ t: [0, 1, 2] });
  expect(calls).toEqual(['pause t/0', 'pause t/1', 'pause t/2']);
  expect(assignment.beginBatch('t', 0)).toBeNull();
  const calledToOpen = ['seek t/0 5', 'resume t/0', 'seek t/1 7', 'resume t/1', 'seek t/2 0', 'resume t/2'];
  await untilCalled(['pause t/0', 'pause t/1', 'pause t/2', ...calledToOpen]);
  // Kafka's committed offsets catch up with them, even if no record comes.
  expect(opened).toEqual(['t/0 5', 't/1 7']);
  expect(assignment.beginBatch('t', 2)?.position).toBeNull();
  expect(assignment.beginBatch('other', 0)).toBeNull();
});

it('does not resume a partition with a running batch after an outage', async () => {
  await assign(0, 1);
  const [slow, failing] = [begin(0), begin(1)];
  assignment.fail(failing, diskFull());
  assignment.endBatch(failing);
  const waiting = { state: 'waiting', reason: 'No space left on device', attempts: 1 };
  expect(assignment.states()).toMatchObject([waiting, waiting]);
  const closed = ['pause t/1', 'pause t/0'];
  await untilCalled([...closed, 'seek t/1 7', 'resume t/1']);
  // Its transaction commits after all.
  await pool.query('update ingest.position set next_offset = 9 where partition = 0');
  slow.position = 9;
  assignment.succeed(slow);
  assignment.endBatch(slow);
  await untilCalled([...closed, 'seek t/1 7', 'resume t/1', 'seek t/0 9', 'resume t/0']);
});

it('counts the failures of an outage until a write succeeds', async () => {
  await assign(0);
  for (const attempts of [1, 2, 3]) {
    const assigned = await vi.waitFor(() => begin(0), WAIT);
    assignment.fail(assigned, diskFull());
    assignment.endBatch(assigned);
    expect(assignment.states()).toMatchObject([{ state: 'waiting', attempts }]);
  }
  const assigned = await vi.waitFor(() => begin(0), WAIT);
  assignment.succeed(assigned);
  assignment.endBatch(assigned);
  expect(assignment.states()).toMatchObject([{ state: 'running', reason: null, attempts: 0 }]);
});

it('reads a position again that another consumer moved', async () => {
  await assign(0, 1);
  const assigned = begin(0);
  await pool.query('update ingest.position set next_offset = 6 where partition = 0');
  assignment.fail(assigned, new PositionLost('moved'));
  expect(assignment.beginBatch('t', 0)).toBeNull();
  assignment.endBatch(assigned);
  await untilCalled(['pause t/0', 'seek t/0 6', 'resume t/0']);
  expect(assignment.states()).toMatchObject([{ state: 'running' }, { state: 'running' }]);
});

it('ignores the batch of a partition that was assigned again since', async () => {
  await assign(0);
  const before = begin(0);
  await assign(0);
  expect(assignment.isAssigned(before)).toBe(false);
  assignment.fail(before, new TypeError('x'));
  assignment.endBatch(before);
  expect(calls).toEqual([]);
  expect(begin(0)).not.toBe(before);
});
