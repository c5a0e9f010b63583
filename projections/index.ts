import { artistProjection } from './artist/project.ts';
import { browseProjection } from './browse/project.ts';
import { festivalProjection } from './festival/project.ts';
import { identityProjection } from './identity/project.ts';
import { labelProjection } from './label/project.ts';
import { masterProjection } from './master/project.ts';
import { mbTrackProjection } from './mb-track/project.ts';
import { previewProjection } from './preview/project.ts';
import type { Projection } from './projection.ts';
import { recordingProjection } from './recording/project.ts';
import { searchProjection } from './search/project.ts';
import { storefrontReleaseProjection } from './storefront-release/project.ts';
import { storefrontTrackProjection } from './storefront-track/project.ts';

/** Every read model that is kept by projection. */
export const projections: readonly Projection[] = [
  artistProjection,
  browseProjection,
  festivalProjection,
  identityProjection,
  labelProjection,
  masterProjection,
  mbTrackProjection,
  previewProjection,
  recordingProjection,
  searchProjection,
  storefrontReleaseProjection,
  storefrontTrackProjection,
];

export const projectionByName: ReadonlyMap<string, Projection> = new Map(
  projections.map((projection) => [projection.name, projection]),
);
