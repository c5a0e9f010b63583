import { DatabaseError } from 'pg';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { withDatabase } from '../../../test/services/database.ts';
import { PositionLost } from '../apply/position.ts';
import { type Holdings, holdPartitions } from './holdings.ts';
import type { Held } from './partition-state.ts';

const { pool } = withDatabase();
const WAIT = { timeout: 20_000, interval: 10 };

/** What kafkajs was told, in order. */
let told: string[];
let holdings: Holdings;

const placesOf = (topics: readonly { topic: string; partitions?: readonly number[] }[]): string =>
  topics.map(({ topic, partitions }) => `${topic}/${partitions?.join()}`).join();

beforeEach(async () => {
  told = [];
  await pool.query(
    `truncate ingest.position; insert into ingest.position values ('g', 't', 0, 5), ('g', 't', 1, 7)`,
  );
  holdings = holdPartitions({
    consumer: {
      seek: ({ topic, partition, offset }) => void told.push(`seek ${topic}/${partition} ${offset}`),
      pause: (topics) => void told.push(`pause ${placesOf(topics)}`),
      resume: (topics) => void told.push(`resume ${placesOf(topics)}`),
    },
    pool,
    log: pino({ level: 'silent' }),
    group: 'g',
  });
});
afterEach(() => holdings.stop());

const untilTold = (expected: string[]) => vi.waitFor(() => expect(told).toEqual(expected), WAIT);

async function assigned(...partitions: number[]): Promise<void> {
  holdings.assign({ t: partitions });
  await vi.waitFor(
    () => expect(holdings.states().map(({ state }) => state)).toEqual(partitions.map(() => 'running')),
    WAIT,
  );
  told.splice(0);
}

function taken(partition: number): Held {
  const held = holdings.take('t', partition);
  if (held === null) throw new Error(`partition ${partition} cannot be taken`);
  return held;
}

function diskFull(): Error {
  const error = new DatabaseError('No space left on device', 0, 'error');
  error.code = '53100';
  return error;
}

it('fetches nothing before the stored positions are known, and from the start where none is', async () => {
  holdings.assign({ t: [0, 1, 2] });
  expect(told).toEqual(['pause t/0', 'pause t/1', 'pause t/2']);
  expect(holdings.take('t', 0)).toBeNull();
  const opened = ['seek t/0 5', 'resume t/0', 'seek t/1 7', 'resume t/1', 'seek t/2 0', 'resume t/2'];
  await untilTold(['pause t/0', 'pause t/1', 'pause t/2', ...opened]);
  expect(holdings.take('t', 2)?.position).toBeNull();
  expect(holdings.take('other', 0)).toBeNull();
});

it('leaves a batch in hand alone when it opens what an outage had closed', async () => {
  await assigned(0, 1);
  const [slow, failing] = [taken(0), taken(1)];
  holdings.fail(failing, diskFull());
  holdings.release(failing);
  const waiting = { state: 'waiting', reason: 'No space left on device', attempts: 1 };
  expect(holdings.states()).toMatchObject([waiting, waiting]);
  const closed = ['pause t/1', 'pause t/0'];
  await untilTold([...closed, 'seek t/1 7', 'resume t/1']);
  // Its transaction commits after all.
  await pool.query('update ingest.position set next_offset = 9 where partition = 0');
  slow.position = 9;
  holdings.succeed(slow);
  holdings.release(slow);
  await untilTold([...closed, 'seek t/1 7', 'resume t/1', 'seek t/0 9', 'resume t/0']);
});

it('counts the failures of an outage until something is written', async () => {
  await assigned(0);
  for (const attempts of [1, 2, 3]) {
    const held = await vi.waitFor(() => taken(0), WAIT);
    holdings.fail(held, diskFull());
    holdings.release(held);
    expect(holdings.states()).toMatchObject([{ state: 'waiting', attempts }]);
  }
  const held = await vi.waitFor(() => taken(0), WAIT);
  holdings.succeed(held);
  holdings.release(held);
  expect(holdings.states()).toMatchObject([{ state: 'running', reason: null, attempts: 0 }]);
});

it('reads a position again that another consumer moved', async () => {
  await assigned(0, 1);
  const held = taken(0);
  await pool.query('update ingest.position set next_offset = 6 where partition = 0');
  holdings.fail(held, new PositionLost('moved'));
  expect(holdings.take('t', 0)).toBeNull();
  holdings.release(held);
  await untilTold(['pause t/0', 'seek t/0 6', 'resume t/0']);
  expect(holdings.states()).toMatchObject([{ state: 'running' }, { state: 'running' }]);
});

it('lets a batch of a partition that was assigned anew change nothing', async () => {
  await assigned(0);
  const before = taken(0);
  await assigned(0);
  expect(holdings.holds(before)).toBe(false);
  holdings.fail(before, new TypeError('x'));
  holdings.release(before);
  expect(told).toEqual([]);
  expect(taken(0)).not.toBe(before);
});
