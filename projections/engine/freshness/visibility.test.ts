import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEPENDENT_DEPTH } from '../store/mark.ts';
import { type Frontier, followPositions, type VisibilityPoll } from './visibility.ts';

const AT = { topic: 't', partition: 0, offset: 4 };

const frontierOf = (): Frontier => ({ live: '', nextOffsets: new Map() });

/** A poll that includes every position. */
const EVERYTHING: ReadonlySet<string> = Object.assign(new Set<string>(), { has: () => true });

const poll = (next: number, newestMark: number, oldestMark: number | null, live = '1,2'): VisibilityPoll => ({
  requested: EVERYTHING,
  deadLetters: new Set(),
  nextOffsets: new Map([['t:0', next]]),
  live,
  newestMark,
  oldestMark,
});

describe('a followed position', () => {
  it('is visible once it is applied and no dirty mark is left', () => {
    const { advance, pending: wants } = followPositions([AT], frontierOf());
    expect(wants()).toEqual([AT]);
    expect(advance(poll(4, 10, null))).toBe('not yet');
    expect(advance(poll(5, 10, null))).toBe('visible');
  });

  it('waits for all existing dirty marks, then for those of dependents, and for no others', () => {
    expect(DEPENDENT_DEPTH).toBe(2);
    const { advance, pending: wants } = followPositions([AT], frontierOf());
    expect(advance(poll(5, 10, 3))).toBe('not yet');
    expect(wants()).toEqual([]);
    expect(advance(poll(50, 20, 10))).toBe('not yet');
    expect(advance(poll(50, 20, 11))).toBe('not yet');
    expect(advance(poll(50, 30, 20))).toBe('not yet');
    expect(advance(poll(50, 30, 21))).toBe('not yet');
    expect(advance(poll(50, 40, 30))).toBe('not yet');
    expect(advance(poll(50, 40, 31))).toBe('visible');
  });

  it('starts again when another version becomes live', () => {
    const { advance, pending: wants } = followPositions([AT], frontierOf());
    expect(advance(poll(5, 10, 3))).toBe('not yet');
    expect(advance(poll(5, 10, 11, '1,3'))).toBe('not yet');
    expect(wants()).toEqual([]);
    expect(advance(poll(5, 10, null, '1,3'))).toBe('visible');
  });

  it('needs all of its positions', () => {
    const { advance } = followPositions([AT, { topic: 'u', partition: 1, offset: 0 }], frontierOf());
    const both = new Map([
      ['t:0', 5],
      ['u:1', 1],
    ]);
    expect(advance(poll(9, 10, null))).toBe('not yet');
    expect(advance({ ...poll(9, 10, null), nextOffsets: both })).toBe('visible');
  });

  it('is rejected if its record is a dead letter', () => {
    const frontier = frontierOf();
    const rejected = { ...poll(5, 10, null), deadLetters: new Set(['t:0:4']) };
    expect(followPositions([{ ...AT, offset: 3 }, AT], frontier).advance(rejected)).toBe('dead letter');
    expect(followPositions([{ ...AT, offset: 3 }], frontier).advance(rejected)).toBe('visible');
    expect(followPositions([AT], frontier).advance({ ...rejected, requested: new Set() })).toBe(
      'dead letter',
    );
    // A poll that began before the reader arrived does not include dead letters.
    const earlier = { ...poll(5, 10, null), requested: new Set<string>() };
    expect(followPositions([AT], frontier).advance(earlier)).toBe('not yet');
  });

  it('needs one wait only while the same versions are live', () => {
    const frontier = frontierOf();
    expect(followPositions([AT], frontier).advance(poll(8, 10, null))).toBe('visible');
    const known = { ...AT, offset: 7 };
    expect(followPositions([known], frontier).advance(poll(8, 20, 15))).toBe('visible');
    expect(followPositions([{ ...AT, offset: 8 }], frontier).advance(poll(9, 20, 15))).toBe('not yet');
    expect(followPositions([known], frontier).advance(poll(8, 20, 15, '1,3'))).toBe('not yet');
  });
});

interface Mark {
  readonly id: number;
  /** The batch of the change. */
  readonly batch: number;
  readonly depth: number;
}

/** Batches of several partitions and projectors, each in transactions that take ids when they begin. */
function pipeline(partitions: number) {
  let lastId = 0;
  let batches = 0;
  const marks = new Map<number, Mark>();
  const next = Array.from({ length: partitions }, () => 0);
  const writing = new Map<number, Mark>();
  const projecting: { cleared: Mark[]; made: Mark[] }[] = [];
  return {
    begin(partition: number): void {
      if (!writing.has(partition)) writing.set(partition, { id: ++lastId, batch: batches++, depth: 0 });
    },
    /** Returns the batch that was applied. */
    commit(partition: number): { batch: number; offset: number } | null {
      const mark = writing.get(partition);
      if (mark === undefined) return null;
      writing.delete(partition);
      marks.set(mark.id, mark);
      const offset = next[partition] ?? 0;
      next[partition] = offset + 1;
      return { batch: mark.batch, offset };
    },
    take(count: number): void {
      const taken = new Set(projecting.flatMap(({ cleared }) => cleared));
      const free = [...marks.values()].filter((mark) => !taken.has(mark)).sort((a, b) => a.id - b.id);
      const cleared = free.slice(0, count);
      const touching = cleared.filter(({ depth }) => depth < DEPENDENT_DEPTH);
      const made = touching.map(({ batch, depth }) => ({ id: ++lastId, batch, depth: depth + 1 }));
      if (cleared.length > 0) projecting.push({ cleared, made });
    },
    finish(which: number): void {
      const [done] = projecting.splice(which % Math.max(1, projecting.length), 1);
      for (const { id } of done?.cleared ?? []) marks.delete(id);
      for (const mark of done?.made ?? []) marks.set(mark.id, mark);
    },
    isProjected: (batch: number): boolean =>
      ![...marks.values(), ...writing.values()].some((mark) => mark.batch === batch),
    poll: (): VisibilityPoll => ({
      requested: EVERYTHING,
      deadLetters: new Set(),
      nextOffsets: new Map(next.map((offset, partition) => [`t:${partition}`, offset])),
      live: '1',
      newestMark: lastId,
      oldestMark: marks.size === 0 ? null : Math.min(...marks.keys()),
    }),
  };
}

const PARTITIONS = 3;
const step = fc.record({
  kind: fc.constantFrom('begin', 'commit', 'take', 'finish', 'poll', 'poll'),
  number: fc.nat(5),
});

describe('with concurrent writes and projections', () => {
  it('a position is visible only when all effects of its batch are projected', () => {
    let called = 0;
    fc.assert(
      fc.property(fc.array(step, { minLength: 20, maxLength: 300, size: 'max' }), (steps) => {
        const line = pipeline(PARTITIONS);
        const frontier = frontierOf();
        const followed: { batch: number; progress: ReturnType<typeof followPositions> }[] = [];
        for (const { kind, number } of steps) {
          if (kind === 'begin') line.begin(number % PARTITIONS);
          if (kind === 'take') line.take(number);
          if (kind === 'finish') line.finish(number);
          if (kind === 'commit') {
            const partition = number % PARTITIONS;
            const applied = line.commit(partition);
            if (applied === null) continue;
            const position = { topic: 't', partition, offset: applied.offset };
            followed.push({ batch: applied.batch, progress: followPositions([position], frontier) });
          }
          if (kind !== 'poll') continue;
          const seen = line.poll();
          for (const { batch, progress } of followed.splice(0)) {
            if (progress.advance(seen) === 'not yet') followed.push({ batch, progress });
            else {
              called += 1;
              expect(line.isProjected(batch)).toBe(true);
            }
          }
        }
      }),
      { numRuns: 500 },
    );
    expect(called).toBeGreaterThan(1_000);
  });

  it('a position becomes visible even if writes keep pace with projection', () => {
    const line = pipeline(PARTITIONS);
    line.begin(0);
    const applied = line.commit(0);
    const { advance } = followPositions(
      [{ topic: 't', partition: 0, offset: applied?.offset ?? 0 }],
      frontierOf(),
    );
    let polls = 1;
    while (advance(line.poll()) === 'not yet') {
      line.begin(polls % PARTITIONS);
      line.commit(polls % PARTITIONS);
      // Each batch makes three dirty marks, so that some are always left.
      line.take(3);
      line.finish(0);
      expect(line.poll().oldestMark).not.toBeNull();
      polls += 1;
      expect(polls).toBeLessThan(50);
    }
    expect(polls).toBeGreaterThan(2);
  });
});
