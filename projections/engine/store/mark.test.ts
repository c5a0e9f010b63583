import fc from 'fast-check';
import { expect, it } from 'vitest';
import { history } from '../../../test/support/history/history.ts';
import { expectedRows, projectSubjects } from '../../../test/support/projections/oracle.ts';
import { sources } from '../../contracts/index.ts';
import { projections } from '../../index.ts';
import type { ProjectedDocument, SourceRegistry } from '../projection.ts';
import type { SubjectRef } from '../rows.ts';
import { DEPENDENT_DEPTH } from './mark.ts';

const registry: SourceRegistry = { idOf: (source) => sources.indexOf(source) + 1 };

/** The length of the longest chain of projections that starts at a subject. */
function depthOf(
  key: SubjectRef,
  dependents: ReadonlyMap<SubjectRef, ProjectedDocument['dependents']>,
): number {
  const next = dependents.get(key) ?? [];
  return next.length === 0 ? 0 : 1 + Math.max(...next.map((dependent) => depthOf(dependent, dependents)));
}

it('the longest chain of dependents has the length that waiting readers assume', async () => {
  const longest = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(history, async (rowChanges) => {
      const expected = expectedRows(rowChanges);
      for (const projection of projections) {
        const projected = await projectSubjects(projection, expected, registry);
        const dependents = new Map(projected.map((entry) => [entry.key, entry.dependents]));
        for (const key of dependents.keys()) {
          const depth = depthOf(key, dependents);
          longest.set(projection.name, Math.max(depth, longest.get(projection.name) ?? 0));
        }
      }
    }),
    { numRuns: 500 },
  );
  expect(Object.fromEntries(longest)).toEqual({
    artist: DEPENDENT_DEPTH,
    browse: 1,
    festival: DEPENDENT_DEPTH,
    identity: 1,
    label: 1,
    master: 1,
    'mb-track': 0,
    preview: 1,
    recording: 0,
    search: 1,
    'storefront-release': DEPENDENT_DEPTH,
    'storefront-track': 0,
  });
});
