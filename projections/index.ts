import { artistProjection } from './artist/project.ts';
import { identityProjection } from './identity/project.ts';
import { labelProjection } from './label/project.ts';
import type { Projection } from './projection.ts';

/** Every read model that is kept by projection. */
export const projections: readonly Projection[] = [artistProjection, identityProjection, labelProjection];

export const projectionByName: ReadonlyMap<string, Projection> = new Map(
  projections.map((projection) => [projection.name, projection]),
);
