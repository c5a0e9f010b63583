import { expect, it } from 'vitest';
import { performingEntity } from '../../projections/sources/seen/performing-entity.ts';
import { clusterOf, slugOf } from '../../test/artists.ts';
import { withResolve } from '../../test/resolve-service.ts';
import { rowsOf } from '../../test/rows/source-rows.ts';

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
      slug: slugOf(index),
      distinct_events: 2 + index,
    })),
  ),
);

/** Long names and short ones by turns, since each says for itself how alike others have to be. */
const ASKED: readonly (readonly [q: string, ...near: string[]])[] = [
  ['Undergraund Resistence', 'Underground Resistance'],
  ['Object', 'Objekt'],
  ['underground', 'Underground Railroad', 'Underground Resistance'],
  ['Kerry Chandlor', 'Kerri Chandler'],
  ['Moderat Live', 'Moderat'],
  // Neither punctuation nor trigrams that a name has twice make it longer; just as much as has to be is shared.
  ['Thec Heimcal Brothers', 'The Chemical Brothers'],
  ['Lfornece + The Machine', 'Florence + The Machine'],
  ['Tangerine Dreem', 'Tangerine Dream'],
  // One word of a long name is not enough, but half of it is.
  ['Moderat Live Berlin'],
  ['Godspeed You! Black Mountains', 'Godspeed You! Black Emperor'],
  ['Ансамбль Вайнахъ', 'Ансамбль Вайнаха'],
  ['Obj'],
];
const namesOf = (answer: unknown): readonly string[] =>
  (answer as { readonly candidates: readonly { readonly name: string }[] }).candidates.map(
    ({ name }) => name,
  );

it.each(ASKED)('%s is near to what may have been meant', async (q, ...near) => {
  expect(namesOf(await resolve({ q }))).toEqual(near);
});

it('names are as near among others as by themselves', async () => {
  const answers = await batch(ASKED.map(([q]) => ({ q })));
  expect(answers.map(namesOf)).toEqual(ASKED.map(([, ...near]) => near));
});
