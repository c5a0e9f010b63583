import { describe, expect, it } from 'vitest';
import { memoizeFor } from './memoize-for.ts';

describe('a memoized result', () => {
  it('is computed once per interval', async () => {
    let clock = 0;
    let made = 0;
    const ask = memoizeFor(
      1_000,
      async () => ++made,
      () => clock,
    );
    expect(await Promise.all([ask(), ask()])).toEqual([1, 1]);
    clock = 999;
    expect(await ask()).toBe(1);
    clock = 1_000;
    expect(await ask()).toBe(2);
  });

  it('is shared while it is computed, however long that takes', async () => {
    let clock = 0;
    const made: PromiseWithResolvers<string>[] = [];
    const ask = memoizeFor(
      1_000,
      () => {
        const next = Promise.withResolvers<string>();
        made.push(next);
        return next.promise;
      },
      () => clock,
    );
    const first = ask();
    clock = 5_000;
    const second = ask();
    made[0]?.resolve('slow');
    expect([await first, await second, made.length]).toEqual(['slow', 'slow', 1]);
  });

  it('fails for all waiting calls, and is computed again for the next', async () => {
    let made = 0;
    const ask = memoizeFor(1_000, async () => {
      made += 1;
      if (made === 1) throw new Error('lost');
      return made;
    });
    const both = await Promise.allSettled([ask(), ask()]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await ask()).toBe(2);
  });
});
