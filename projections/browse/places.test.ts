import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addressesIn, isListable, type Standing, stretchesOf, TIERS } from './places.ts';

const ALL = { genre: null, style: null };

/** Greatest first, as the lists are to be. */
function byDiscovery(a: Standing, b: Standing): number {
  const rank = ({ tier }: Standing) => (tier === null ? TIERS.length : TIERS.indexOf(tier));
  const momentum = ({ tier, momentum }: Standing) => (tier === null ? 0 : momentum);
  return rank(a) - rank(b) || momentum(b) - momentum(a) || (b.reach ?? 0) - (a.reach ?? 0);
}
const byReach = (a: Standing, b: Standing): number => (b.reach ?? 0) - (a.reach ?? 0);

const standing: fc.Arbitrary<Standing> = fc.record({
  tier: fc.constantFrom(null, ...TIERS),
  momentum: fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constantFrom(0, -0, 1, -1, 0.5)),
  reach: fc.oneof(fc.constant(null), fc.nat(), fc.constantFrom(5, 6, 255, 256, 2 ** 31)),
});

const compare = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** The places that a list gives a standing; none where it is not in the list. */
function placesIn(list: Parameters<typeof stretchesOf>[1], one: Standing): string[] {
  const { from, to, placeAt } = stretchesOf(ALL, list);
  return addressesIn(ALL, one)
    .filter((address) =>
      from.some((low, i) => compare(address, low) >= 0 && compare(address, to[i] ?? '') < 0),
    )
    .map((address) => [...address].slice(placeAt - 1).join(''));
}

it.each([
  ['discovery', byDiscovery],
  ['reach', byReach],
] as const)('%s sorts by its rule, to the last bit, and lists everybody once', (sort, order) => {
  fc.assert(
    fc.property(standing, standing, (a, b) => {
      const [placeOfA, ...more] = placesIn({ tier: null, sort }, a);
      const [placeOfB] = placesIn({ tier: null, sort }, b);
      expect(more).toEqual([]);
      expect(Math.sign(compare(placeOfA ?? '', placeOfB ?? ''))).toBe(Math.sign(order(a, b)));
    }),
    { numRuns: 2_000 },
  );
});

it('lists under a tier those who are in it, in the same order', () => {
  fc.assert(
    fc.property(standing, standing, fc.constantFrom(...TIERS), (a, b, tier) => {
      for (const [sort, order] of [
        ['discovery', byDiscovery],
        ['reach', byReach],
      ] as const) {
        const [inA, inB] = [placesIn({ tier, sort }, a), placesIn({ tier, sort }, b)];
        expect(inA.length).toBe(a.tier === tier ? 1 : 0);
        if (a.tier === tier && b.tier === tier)
          expect(Math.sign(compare(inA[0] ?? '', inB[0] ?? ''))).toBe(Math.sign(order(a, b)));
      }
    }),
  );
});

it('keeps lists apart, whatever their names', () => {
  const one = { tier: null, momentum: 0, reach: 5 };
  const lists = [
    ALL,
    { genre: 'A', style: null },
    { genre: null, style: 'A' },
    { genre: 'A', style: 'A' },
    { genre: 'AA', style: null },
  ];
  for (const filters of lists) {
    const { from, to } = stretchesOf(filters, { tier: null, sort: 'discovery' });
    const found = lists.filter((other) =>
      addressesIn(other, one).some((address) => address >= (from[0] ?? '') && address < (to[0] ?? '')),
    );
    expect(found).toEqual([filters]);
  }
});

it('lists under no name that nobody can ask for', () => {
  expect(['Techno', 'é'.repeat(80), '😀'.repeat(80)].filter(isListable)).toHaveLength(3);
  expect(['', 'x'.repeat(81), 'a\u001fb', 'a\0', '\ud800'].filter(isListable)).toEqual([]);
});
