import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TOUCH_DEPTH } from '../store/mark.ts';
import { type Frontier, followPositions, type Look } from './visibility.ts';

const AT = { topic: 't', partition: 0, offset: 4 };

const frontierOf = (): Frontier => ({ live: '', nextOffsets: new Map() });

/** Whatever is asked for is answered. */
const EVERYTHING: ReadonlySet<string> = Object.assign(new Set<string>(), { has: () => true });

const look = (next: number, newestMark: number, oldestMark: number | null, live = '1,2'): Look => ({
  asked: EVERYTHING,
  refused: new Set(),
  nextOffsets: new Map([['t:0', next]]),
  live,
  newestMark,
  oldestMark,
});

describe('a followed position', () => {
  it('is visible as soon as it is applied and no mark is left', () => {
    const { advance, wants } = followPositions([AT], frontierOf());
    expect(wants()).toEqual([AT]);
    expect(advance(look(4, 10, null))).toBe('not yet');
    expect(advance(look(5, 10, null))).toBe('visible');
  });

  it('waits for every mark there was, then for those made by clearing them, and for no others', () => {
    expect(TOUCH_DEPTH).toBe(2);
    const { advance, wants } = followPositions([AT], frontierOf());
    expect(advance(look(5, 10, 3))).toBe('not yet');
    expect(wants()).toEqual([]);
    expect(advance(look(50, 20, 10))).toBe('not yet');
    expect(advance(look(50, 20, 11))).toBe('not yet');
    expect(advance(look(50, 30, 20))).toBe('not yet');
    expect(advance(look(50, 30, 21))).toBe('not yet');
    expect(advance(look(50, 40, 30))).toBe('not yet');
    expect(advance(look(50, 40, 31))).toBe('visible');
  });

  it('waits anew when another version is served', () => {
    const { advance, wants } = followPositions([AT], frontierOf());
    expect(advance(look(5, 10, 3))).toBe('not yet');
    expect(advance(look(5, 10, 11, '1,3'))).toBe('not yet');
    expect(wants()).toEqual([]);
    expect(advance(look(5, 10, null, '1,3'))).toBe('visible');
  });

  it('needs all of its positions', () => {
    const { advance } = followPositions([AT, { topic: 'u', partition: 1, offset: 0 }], frontierOf());
    const both = new Map([
      ['t:0', 5],
      ['u:1', 1],
    ]);
    expect(advance(look(9, 10, null))).toBe('not yet');
    expect(advance({ ...look(9, 10, null), nextOffsets: both })).toBe('visible');
  });

  it('is refused where it is of a dead letter, known before or not', () => {
    const frontier = frontierOf();
    const refusing = { ...look(5, 10, null), refused: new Set(['t:0:4']) };
    expect(followPositions([{ ...AT, offset: 3 }, AT], frontier).advance(refusing)).toBe('refused');
    expect(followPositions([{ ...AT, offset: 3 }], frontier).advance(refusing)).toBe('visible');
    expect(followPositions([AT], frontier).advance({ ...refusing, asked: new Set() })).toBe('refused');
    // A look that was begun before the reader came says nothing of dead letters.
    const earlier = { ...look(5, 10, null), asked: new Set<string>() };
    expect(followPositions([AT], frontier).advance(earlier)).toBe('not yet');
  });

  it('need not be waited for twice while the same versions are served', () => {
    const frontier = frontierOf();
    expect(followPositions([AT], frontier).advance(look(8, 10, null))).toBe('visible');
    const known = { ...AT, offset: 7 };
    expect(followPositions([known], frontier).advance(look(8, 20, 15))).toBe('visible');
    expect(followPositions([{ ...AT, offset: 8 }], frontier).advance(look(9, 20, 15))).toBe('not yet');
    expect(followPositions([known], frontier).advance(look(8, 20, 15, '1,3'))).toBe('not yet');
  });
});

interface Mark {
  readonly id: number;
  /** The batch whose change it is of. */
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
    /** Answers the batch that was applied. */
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
      const touching = cleared.filter(({ depth }) => depth < TOUCH_DEPTH);
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
    look: (): Look => ({
      asked: EVERYTHING,
      refused: new Set(),
      nextOffsets: new Map(next.map((offset, partition) => [`t:${partition}`, offset])),
      live: '1',
      newestMark: lastId,
      oldestMark: marks.size === 0 ? null : Math.min(...marks.keys()),
    }),
  };
}

const PARTITIONS = 3;
const step = fc.record({
  kind: fc.constantFrom('begin', 'commit', 'take', 'finish', 'look', 'look'),
  number: fc.nat(5),
});

describe('whatever is written and projected side by side', () => {
  it('a position is called visible only when all that its batch led to is projected', () => {
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
          if (kind !== 'look') continue;
          const seen = line.look();
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

  it('it is called visible in the end, though as much is written as is projected', () => {
    const line = pipeline(PARTITIONS);
    line.begin(0);
    const applied = line.commit(0);
    const { advance } = followPositions(
      [{ topic: 't', partition: 0, offset: applied?.offset ?? 0 }],
      frontierOf(),
    );
    let looks = 1;
    while (advance(line.look()) === 'not yet') {
      line.begin(looks % PARTITIONS);
      line.commit(looks % PARTITIONS);
      // A batch leads to three marks; never is there none left.
      line.take(3);
      line.finish(0);
      expect(line.look().oldestMark).not.toBeNull();
      looks += 1;
      expect(looks).toBeLessThan(50);
    }
    expect(looks).toBeGreaterThan(2);
  });
});
