import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withDatabase } from '../test/services/database.ts';
import { pairedClaims, withoutSeconds } from './paired-claims.ts';
import { subjectRef } from './projection.ts';

const { pool } = withDatabase('empty');

/** Who have claims to one address: both documents of a pair or one of them, or a document of no pair. */
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
        const [claim] = pairedClaims([{ address: 'page', rank: 7, support: 0 }], one.pair, place);
        return claim?.support ?? 0;
      });

async function left(supports: readonly number[]): Promise<number[]> {
  const { rows } = await pool.query<{ support: number }>(
    withoutSeconds('select 7 as rank, support, null as document from unnest($1::int4[]) claim (support)'),
    [supports],
  );
  return rows.map(({ support }) => support);
}

describe('of equal claims', () => {
  it('those of a second document are left out beside those of the first, and no others', async () => {
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
