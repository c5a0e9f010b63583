import { artistProjection } from './artist/project.ts';
import { festivalProjection } from './festival/project.ts';
import { identityProjection } from './identity/project.ts';
import { labelProjection } from './label/project.ts';
import { masterProjection } from './master/project.ts';
import type { Projection } from './projection.ts';
import { recordingProjection } from './recording/project.ts';
import { storefrontReleaseProjection } from './storefront-release/project.ts';

/** Every read model that is kept by projection. */
export const projections: readonly Projection[] = [
  artistProjection,
  festivalProjection,
  identityProjection,
  labelProjection,
  masterProjection,
  recordingProjection,
  storefrontReleaseProjection,
];

export const projectionByName: ReadonlyMap<string, Projection> = new Map(
  projections.map((projection) => [projection.name, projection]),
);
