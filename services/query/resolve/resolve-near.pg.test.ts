import { expect, it } from 'vitest';
import { performingEntity } from '../../../projections/contracts/seen/performing-entity.ts';
import { clusterOf, testArtistSlug } from '../../../test/support/projections/artists.ts';
import { withResolve } from '../../../test/support/query/resolve-service.ts';
import { rowsOf } from '../../../test/support/rows/source-rows.ts';

const NAMES = [
  'Objekt',
  'Moderat',
  'Kerri Chandler',
  'Tangerine Dream',
  'Underground Resistance',
  'Underground Railroad',
  'The Chemical Brothers',
  'Florence + The Machine',
  'Godspeed You! Black Emperor',
  'Ансамбль Вайнаха',
];

const { batch, resolve } = withResolve(
  rowsOf(
    performingEntity,
    ...NAMES.map((name, index) => ({
      cluster_id: clusterOf(0xa0 + index),
      name,
      slug: testArtistSlug(index),
      distinct_events: 2 + index,
    })),
  ),
);

/** Long and short names in turn, because each sets its own threshold of similarity. */
const CASES: readonly (readonly [q: string, ...near: string[]])[] = [
  ['Undergraund Resistence', 'Underground Resistance'],
  ['Object', 'Objekt'],
  ['underground', 'Underground Railroad', 'Underground Resistance'],
  ['Kerry Chandlor', 'Kerri Chandler'],
  ['Moderat Live', 'Moderat'],
  // Punctuation and repeated trigrams do not add to the length; exactly the required part is shared.
  ['Thec Heimcal Brothers', 'The Chemical Brothers'],
  ['Lfornece + The Machine', 'Florence + The Machine'],
  ['Tangerine Dreem', 'Tangerine Dream'],
  // One word of a long name is not enough, but half of it is.
  ['Moderat Live Berlin'],
  ['Godspeed You! Black Mountains', 'Godspeed You! Black Emperor'],
  ['Ансамбль Вайнахъ', 'Ансамбль Вайнаха'],
  ['Obj'],
];
const namesOf = (response: unknown): readonly string[] =>
  (response as { readonly candidates: readonly { readonly name: string }[] }).candidates.map(
    ({ name }) => name,
  );

it.each(CASES)('%s is similar to what may have been meant', async (q, ...near) => {
  expect(namesOf(await resolve({ q }))).toEqual(near);
});

it('similar names are the same in a batch as alone', async () => {
  const responses = await batch(CASES.map(([q]) => ({ q })));
  expect(responses.map(namesOf)).toEqual(CASES.map(([, ...near]) => near));
});
