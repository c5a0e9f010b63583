import { Type } from '@sinclair/typebox';
import { ProvenanceEntrySchema } from '../../../projections/provenance.ts';
import { Release } from '../../../projections/storefront-release/release.ts';
import { orNull } from '../../../projections/values.ts';
import { GeneratedAt } from './envelope.ts';

/** A storefront release as served under its artist. */
export const StorefrontReleaseBody = Type.Object(
  {
    object: Type.Literal('storefront.release'),
    present: Type.Boolean({
      description: 'False for a release that is not known, and for one of another artist.',
    }),
    release: orNull(
      Type.Object({
        ...Release.properties,
        provenance: Type.Array(ProvenanceEntrySchema, {
          description: 'Of the release, its tracks, its economics and its artwork, in this order.',
        }),
        generated_at: GeneratedAt,
      }),
    ),
  },
  { description: 'One release of an artist on the storefront, and where what is known of it comes from.' },
);
