import type { ProjectedDocument, Projection } from '../../../projections/engine/projection.ts';
import type { SubjectRef } from '../../../projections/engine/rows.ts';
import { mirrorRows, type SourceRows } from '../rows/source-rows.ts';

/** Projects one subject from these rows. @throws if the projection returns nothing for it */
export async function projectOne(
  projection: Pick<Projection, 'project'>,
  key: SubjectRef,
  ...given: readonly SourceRows[]
): Promise<ProjectedDocument> {
  const rows = mirrorRows(...given);
  const [projected] = await projection.project([key], async () => rows, { idOf: () => 1 });
  if (projected === undefined) throw new Error(`${key} was not projected`);
  return projected;
}
