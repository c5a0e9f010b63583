import fc from 'fast-check';
import { expect, it } from 'vitest';
import { history } from '../../test/history/history.ts';
import { expectedRows, projectSubjects } from '../../test/oracle.ts';
import { projections } from '../index.ts';
import type { Projected, SourceRegistry } from '../projection.ts';
import type { SubjectRef } from '../rows.ts';
import { sources } from '../sources/index.ts';
import { TOUCH_DEPTH } from './mark.ts';

const registry: SourceRegistry = { idOf: (source) => sources.indexOf(source) + 1 };

/** How many projections follow from projecting a subject, one because of the other. */
function depthOf(key: SubjectRef, touches: ReadonlyMap<SubjectRef, Projected['touches']>): number {
  const next = touches.get(key) ?? [];
  return next.length === 0 ? 0 : 1 + Math.max(...next.map((touched) => depthOf(touched, touches)));
}

it('no chain of touches is longer than those who wait for their end count on, and one is as long', async () => {
  const longest = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(history, async (deeds) => {
      const expected = expectedRows(deeds);
      for (const projection of projections) {
        const projected = await projectSubjects(projection, expected, registry);
        const touches = new Map(projected.map((entry) => [entry.key, entry.touches]));
        for (const key of touches.keys()) {
          const depth = depthOf(key, touches);
          longest.set(projection.name, Math.max(depth, longest.get(projection.name) ?? 0));
        }
      }
    }),
    { numRuns: 500 },
  );
  expect(Object.fromEntries(longest)).toEqual({
    artist: 1,
    browse: 1,
    festival: 1,
    identity: 1,
    label: 1,
    master: 1,
    'mb-track': 0,
    preview: 1,
    recording: 0,
    search: 1,
    'storefront-release': TOUCH_DEPTH,
    'storefront-track': 0,
  });
});
