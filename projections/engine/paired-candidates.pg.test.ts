import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withDatabase } from '../../test/support/services/database.ts';
import { pairedCandidates, withoutSeconds } from './paired-candidates.ts';
import { subjectRef } from './projection.ts';

const { pool } = withDatabase('empty');

/** The candidates of one lookup key: both documents of a pair, one of them, or an unpaired document. */
const owner = fc.oneof(
  fc.record({
    pair: fc.nat(50).map((number) => subjectRef('artist', String(number))),
    places: fc.subarray(['first', 'second'] as const, { minLength: 1 }),
  }),
  fc.record({ support: fc.nat(5) }),
);

type Owner = typeof owner extends fc.Arbitrary<infer T> ? T : never;

const supportsOf = (one: Owner): number[] =>
  'support' in one
    ? [one.support]
    : one.places.map((place) => {
        const [candidate] = pairedCandidates([{ value: 'page', rank: 7, support: 0 }], one.pair, place);
        return candidate?.support ?? 0;
      });

async function left(supports: readonly number[]): Promise<number[]> {
  const { rows } = await pool.query<{ support: number }>(
    withoutSeconds('select 7 as rank, support, null as document from unnest($1::int4[]) candidate (support)'),
    [supports],
  );
  return rows.map(({ support }) => support);
}

describe('equal candidates', () => {
  it('omit those of the second document of a pair if the first one has some', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(owner, { selector: (one) => ('pair' in one ? one.pair : one), maxLength: 6 }),
        async (owners) => {
          const supports = owners.flatMap(supportsOf);
          const one = owners.flatMap((each) => supportsOf(each).slice(0, 1));
          expect((await left(supports.toReversed())).sort()).toEqual(one.sort());
        },
      ),
    );
  });
});
