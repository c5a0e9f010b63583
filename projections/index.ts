import type { Projection } from './engine/projection.ts';
import { artistProjection } from './models/artist/project.ts';
import { browseProjection } from './models/browse/project.ts';
import { festivalProjection } from './models/festival/project.ts';
import { identityProjection } from './models/identity/project.ts';
import { labelProjection } from './models/label/project.ts';
import { masterProjection } from './models/master/project.ts';
import { mbTrackProjection } from './models/mb-track/project.ts';
import { previewProjection } from './models/preview/project.ts';
import { recordingProjection } from './models/recording/project.ts';
import { searchProjection } from './models/search/project.ts';
import { storefrontReleaseProjection } from './models/storefront-release/project.ts';
import { storefrontTrackProjection } from './models/storefront-track/project.ts';

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
