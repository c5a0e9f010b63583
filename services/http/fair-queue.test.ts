import { expect, it } from 'vitest';
import {
  COSTLY,
  DEFAULT_WORK_CAPACITY,
  type FairQueue,
  fairQueue,
  MODERATE,
  type Work,
  workLimits,
} from './fair-queue.ts';

function queueOf(capacity: number, perParty: number) {
  let now = 0;
  const log: string[] = [];
  const queue = fairQueue({ capacity, perParty }, () => now);
  const enter = (party: string, name: string, cost = 1): Work => {
    const work = {
      party,
      cost,
      start: () => log.push(name),
      shed: () => log.push(`shed ${name}`),
    };
    queue.enter(work);
    return work;
  };
  return {
    queue,
    log,
    enter,
    advance: (ms: number) => {
      now += ms;
    },
  };
}

/** Ends running work, the earliest first, until nothing waits; returns the names in the order of their start. */
function drain(queue: FairQueue, log: string[], works: ReadonlyMap<string, Work>): string[] {
  for (let ended = 0; queue.waiting() > 0; ended++) queue.leave(works.get(log[ended] ?? '') as Work);
  return log;
}

it('starts work at once while there is room', () => {
  const { queue, log, enter } = queueOf(2, 2);
  const first = enter('a', 'a1');
  enter('a', 'a2');
  enter('a', 'a3');
  expect([log, queue.running(), queue.waiting()]).toEqual([['a1', 'a2'], 2, 1]);
  queue.leave(first);
  queue.leave(first);
  expect([log, queue.running(), queue.waiting()]).toEqual([['a1', 'a2', 'a3'], 2, 0]);
});

it('takes turns between parties, however much one of them waits', () => {
  const { queue, log, enter } = queueOf(1, 1);
  const works = new Map<string, Work>();
  for (let count = 1; count <= 100; count++) works.set(`a${count}`, enter('a', `a${count}`));
  for (let count = 1; count <= 3; count++) works.set(`b${count}`, enter('b', `b${count}`));
  expect(drain(queue, log, works).slice(0, 7)).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'b3', 'a4']);
});

it('gives a party of costly work fewer turns', () => {
  const { queue, log, enter } = queueOf(4, 4);
  const works = new Map<string, Work>();
  for (let count = 1; count <= 9; count++) works.set(`a${count}`, enter('a', `a${count}`, 4));
  for (let count = 1; count <= 9; count++) works.set(`b${count}`, enter('b', `b${count}`));
  const order = drain(queue, log, works);
  expect(order.slice(0, 6)).toEqual(['a1', 'b1', 'b2', 'b3', 'b4', 'a2']);
});

it('keeps room for others while there are others', () => {
  const { queue, log, enter, advance } = queueOf(4, 2);
  for (let count = 1; count <= 6; count++) enter('a', `a${count}`);
  expect(log).toEqual(['a1', 'a2', 'a3', 'a4']);
  advance(10_000);
  const { queue: shared, log: order, enter: arrive } = queueOf(4, 2);
  arrive('b', 'b1');
  for (let count = 1; count <= 6; count++) arrive('a', `a${count}`);
  expect(order).toEqual(['b1', 'a1', 'a2']);
  arrive('b', 'b2');
  expect(order).toEqual(['b1', 'a1', 'a2', 'b2']);
  expect([queue.waiting(), shared.waiting()]).toEqual([2, 4]);
});

it('runs work that costs more than a party may use', () => {
  const { log, enter } = queueOf(4, 2);
  enter('b', 'b1');
  enter('a', 'a1', 100);
  expect(log).toEqual(['b1', 'a1']);
});

it.each([
  [COSTLY, 1, 4],
  [MODERATE, 4, 64],
  [1, 16, 256],
])('lets a party have few works of cost %i beside others', (cost, beside, alone) => {
  const { capacity, perParty } = workLimits(DEFAULT_WORK_CAPACITY);
  for (const [others, expected] of [
    [['b'], beside],
    [[], alone],
  ] as const) {
    const { log, enter } = queueOf(capacity, perParty);
    for (const other of others) enter(other, other);
    for (let count = 0; count <= alone; count++) enter('a', 'a', cost);
    expect(log.filter((name) => name === 'a')).toHaveLength(expected);
  }
});

it('sheds the newest waiting work of a party', () => {
  const { queue, log, enter } = queueOf(1, 1);
  for (const name of ['a1', 'a2', 'a3']) enter('a', name);
  expect([queue.hasWaiting('a'), queue.hasWaiting('b')]).toEqual([true, false]);
  for (const party of ['a', 'b']) queue.shedFrom(party);
  expect(queue.waiting()).toBe(1);
  expect(log).toEqual(['a1', 'shed a3']);
});

it('forgets work that leaves while it waits', () => {
  const { queue, log, enter } = queueOf(1, 1);
  const first = enter('a', 'a1');
  queue.leave(enter('a', 'a2'));
  enter('a', 'a3');
  queue.leave(first);
  expect([log, queue.waiting()]).toEqual([['a1', 'a3'], 0]);
});

it('ends work that ran for too long', () => {
  const { queue, log, enter, advance } = queueOf(1, 1);
  enter('a', 'a1');
  enter('a', 'a2');
  advance(10);
  queue.endOlderThan(10);
  expect(log).toEqual(['a1']);
  advance(1);
  queue.endOlderThan(10);
  expect(log).toEqual(['a1', 'a2']);
});
