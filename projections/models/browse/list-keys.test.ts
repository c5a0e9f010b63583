import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isListable, keyRanges, type ListPosition, listKeys, TIERS } from './list-keys.ts';

const ALL = { genre: null, style: null };

/** Greatest first, as in the lists. */
function byDiscovery(a: ListPosition, b: ListPosition): number {
  const rank = ({ tier }: ListPosition) => (tier === null ? TIERS.length : TIERS.indexOf(tier));
  const momentum = ({ tier, momentum }: ListPosition) => (tier === null ? 0 : momentum);
  return rank(a) - rank(b) || momentum(b) - momentum(a) || (b.reach ?? 0) - (a.reach ?? 0);
}
const byReach = (a: ListPosition, b: ListPosition): number => (b.reach ?? 0) - (a.reach ?? 0);

const listPosition: fc.Arbitrary<ListPosition> = fc.record({
  tier: fc.constantFrom(null, ...TIERS),
  momentum: fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constantFrom(0, -0, 1, -1, 0.5)),
  reach: fc.oneof(fc.constant(null), fc.nat(), fc.constantFrom(5, 6, 255, 256, 2 ** 31)),
});

const compare = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** The list keys of a position; empty if it is not in the list. */
function keysIn(list: Parameters<typeof keyRanges>[1], one: ListPosition): string[] {
  const { from, to, sortKeyAt } = keyRanges(ALL, list);
  return listKeys(ALL, one)
    .filter((key) => from.some((low, i) => compare(key, low) >= 0 && compare(key, to[i] ?? '') < 0))
    .map((key) => [...key].slice(sortKeyAt - 1).join(''));
}

it.each([
  ['discovery', byDiscovery],
  ['reach', byReach],
] as const)('%s sorts by its rule, to the last bit, and lists each artist once', (sort, order) => {
  fc.assert(
    fc.property(listPosition, listPosition, (a, b) => {
      const [keyOfA, ...more] = keysIn({ tier: null, sort }, a);
      const [keyOfB] = keysIn({ tier: null, sort }, b);
      expect(more).toEqual([]);
      expect(Math.sign(compare(keyOfA ?? '', keyOfB ?? ''))).toBe(Math.sign(order(a, b)));
    }),
    { numRuns: 2_000 },
  );
});

it('lists the artists of a tier in the same order', () => {
  fc.assert(
    fc.property(listPosition, listPosition, fc.constantFrom(...TIERS), (a, b, tier) => {
      for (const [sort, order] of [
        ['discovery', byDiscovery],
        ['reach', byReach],
      ] as const) {
        const [inA, inB] = [keysIn({ tier, sort }, a), keysIn({ tier, sort }, b)];
        expect(inA.length).toBe(a.tier === tier ? 1 : 0);
        if (a.tier === tier && b.tier === tier)
          expect(Math.sign(compare(inA[0] ?? '', inB[0] ?? ''))).toBe(Math.sign(order(a, b)));
      }
    }),
  );
});

it('separates lists of any names', () => {
  const one = { tier: null, momentum: 0, reach: 5 };
  const lists = [
    ALL,
    { genre: 'A', style: null },
    { genre: null, style: 'A' },
    { genre: 'A', style: 'A' },
    { genre: 'AA', style: null },
  ];
  for (const filters of lists) {
    const { from, to } = keyRanges(filters, { tier: null, sort: 'discovery' });
    const found = lists.filter((other) =>
      listKeys(other, one).some((key) => key >= (from[0] ?? '') && key < (to[0] ?? '')),
    );
    expect(found).toEqual([filters]);
  }
});

it('omits names that cannot be filters', () => {
  expect(['Techno', 'é'.repeat(80), '😀'.repeat(80)].filter(isListable)).toHaveLength(3);
  expect(['', 'x'.repeat(81), 'a\u001fb', 'a\0', '\ud800'].filter(isListable)).toEqual([]);
});
